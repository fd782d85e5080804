/** The scenarios of apply.real.test.ts, beside what a real API server answered to them. */
import { expect, test } from "vitest";
import { Player } from "./testing/play.ts";
import { readRecordings } from "./testing/recording.ts";
import { objectName, scenarios } from "./testing/scenarios.ts";

const recordings = readRecordings();

test.each(scenarios)("$name", async ({ name, kind, steps }) => {
  const answers = [...(recordings.get(name) ?? [])];
  expect(answers).toHaveLength(steps.length);
  const player = new Player({ ask: async () => answers.shift() ?? {} }, kind, objectName(name));
  for (const step of steps) await player.play(step);
});
