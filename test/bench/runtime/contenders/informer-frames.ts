/** Our informer, as a controller would start it: all its defaults. */
import { Informer, Pods } from "@berg/kube";
import { report, settingsOf } from "../child.ts";
import { Stopwatch } from "../stopwatch.ts";
import { clientFor } from "./client.ts";

const { url, changes } = settingsOf<{ url: string; changes: number }>();
const stopwatch = new Stopwatch(changes, report);

const pods = new Informer({ client: clientFor(url), type: Pods });
pods.onChange(({ type, object }) => {
  if (type === "updated") stopwatch.saw(object);
});
await pods.run(new AbortController().signal);
