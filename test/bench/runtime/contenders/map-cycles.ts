/** The least that a queue without duplicates does: a Map is set, read and emptied. */
import { report, settingsOf } from "../child.ts";
import { cyclesPerSecond } from "../cycles.ts";

const { cycles } = settingsOf<{ cycles: number }>();
const waiting = new Map<string, object>();
const perSecond = await cyclesPerSecond(cycles, async (keys) => {
  for (const key of keys) waiting.set(key, { key });
  for (const key of keys) {
    await waiting.get(key);
    waiting.delete(key);
  }
});
report({ perSecond });
