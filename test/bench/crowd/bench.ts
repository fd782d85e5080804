/** As many instances as the largest competition has: do those whose time is up end on time, and what do the others cost? */
import type { Bench } from "../bench.ts";
import { startCluster } from "../instances/cluster.ts";
import { startController } from "../instances/controller.ts";
import { idleFigures } from "../instances/idle.ts";
import { startInstances } from "../instances/throughput.ts";
import { endFigures } from "./ends.ts";

const progressMs = 60_000;

export const bench: Bench = {
  about:
    "`berg controller` as shipped, simulated pods, 10,000 instances of one container with a content flag and an HTTPRoute. Some are given an end that is near, so many in each second, and then as many in one; each figure is the slowest of them, between its `status.expiresAt` and a frame of the bench's own watches",
  async run(options) {
    const { quick, say } = options;
    const count = quick ? 300 : 10_000;
    const ends = { perSecond: 10, seconds: quick ? 5 : 20, atOnce: quick ? 50 : 100 };
    await using cluster = await startCluster();
    await using controller = await startController(cluster);
    say(`starting ${count} instances`);
    let running = 0;
    const progress = setInterval(() => say(`${running} instances run`), progressMs);
    const ownerIds = await startInstances(cluster, count, () => running++).finally(() => clearInterval(progress));
    const ended = await endFigures(cluster, ownerIds, ends, options);
    const left = count - ends.perSecond * ends.seconds - ends.atOnce;
    return [...ended, ...(await idleFigures(cluster, controller, left, options))];
  },
};
