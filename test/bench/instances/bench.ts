/** How fast, how soon and how quietly the ChallengeInstance controller works, on a real control plane. */
import type { Bench, BenchOptions } from "../bench.ts";
import type { Figure } from "../figure.ts";
import { startCluster } from "./cluster.ts";
import { startController } from "./controller.ts";
import { bareDelays, besideBare, delayFigures, fullPace, halfPace } from "./delays.ts";
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
  const full = { count: quick ? 100 : 600, perSecond: fullPace };
  const half = { count: full.count / 2, perSecond: halfPace };
  const warmUp = 16;
  const bare = await bareDelays(recording, full, options);
  await using cluster = await startCluster();
  await using controller = await startController(cluster);
  await startInstances(cluster, warmUp);
  const atFull = await delayFigures(cluster, full, options);
  const atHalf = await delayFigures(cluster, half, options);
  say(`more instances, up to ${total}`);
  await startInstances(cluster, total - full.count - half.count - warmUp);
  return [
    ...atFull.figures,
    besideBare(atFull.toDeployment, bare, fullPace),
    ...atHalf.figures,
    ...(await idleFigures(cluster, controller, total, options)),
  ];
}
