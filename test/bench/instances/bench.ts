/** How fast, how soon and how quietly the ChallengeInstance controller works, on a real control plane. */
import type { Bench, BenchOptions } from "../bench.ts";
import type { Figure } from "../figure.ts";
import { startCluster } from "./cluster.ts";
import { startController } from "./controller.ts";
import { bareDelays, delayFigures } from "./delays.ts";
import { idleFigures } from "./idle.ts";
import { lifeFigures } from "./life.ts";
import { type Recording, recordStart } from "./recording.ts";
import { startInstances, throughputFigures } from "./throughput.ts";

export const bench: Bench = {
  about:
    "`berg controller` as shipped, simulated pods, one container with a content flag and an HTTPRoute. The bare client replays the controller's recorded writes (and creates the instance, as the bench does for the controller) in the recorded order, writes of one stage side by side; it says Running when the pod is ready, as the controller does. The second comparison lets it go on at once, and leaves the work of starting its pods for after the clock has stopped",
  async run(options) {
    const { recording, figures } = await recordAndCount(options);
    return [...(await throughputFigures(recording, options)), ...(await manyFigures(recording, options)), ...figures];
  },
};

async function recordAndCount(options: BenchOptions): Promise<{ recording: Recording; figures: Figure[] }> {
  await using cluster = await startCluster();
  const recording = await recordStart(cluster);
  return { recording, figures: await lifeFigures(cluster, options) };
}

async function manyFigures(recording: Recording, options: BenchOptions): Promise<Figure[]> {
  const { quick, say } = options;
  const total = quick ? 200 : 2000;
  const atPace = quick ? 100 : 600;
  const warmUp = 16;
  const bare = await bareDelays(recording, atPace, options);
  await using cluster = await startCluster();
  await using controller = await startController(cluster);
  await startInstances(cluster, warmUp);
  const delays = await delayFigures(cluster, atPace, bare, options);
  say(`more instances, up to ${total}`);
  await startInstances(cluster, total - atPace - warmUp);
  return [...delays, ...(await idleFigures(cluster, controller, total, options))];
}
