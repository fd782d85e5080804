/** What no reader of these bytes can do without: find the lines, decode them, parse them. */
import { report, settingsOf } from "../child.ts";
import { changeFrames } from "../objects.ts";
import { Stopwatch } from "../stopwatch.ts";

const { pods, changes } = settingsOf<{ pods: number; changes: number }>();
const bytes = Buffer.concat([...changeFrames(pods, changes)].map((line) => Buffer.from(line)));
const stopwatch = new Stopwatch(changes, report);

let start = 0;
for (let end = bytes.indexOf("\n"); end >= 0; end = bytes.indexOf("\n", start)) {
  stopwatch.saw(JSON.parse(bytes.toString("utf8", start, end)).object);
  start = end + 1;
}
