/** Keys through our queue: added, taken, done. */
import { systemClock, systemRandom, WorkQueue } from "@berg/kube";
import { report, settingsOf } from "../child.ts";
import { cyclesPerSecond } from "../cycles.ts";

const { cycles } = settingsOf<{ cycles: number }>();
const queue = new WorkQueue({ clock: systemClock, random: systemRandom });
const perSecond = await cyclesPerSecond(cycles, async (keys) => {
  for (const key of keys) queue.add(key);
  for (const _ of keys) {
    const taken = await queue.get();
    if (taken) queue.done(taken.key);
  }
});
report({ perSecond });
