/** What the Cluster, Subscription and Kubeconfig operators do in a second, and what they cost when there is nothing to do. */
import type { Bench } from "../bench.ts";
import { startOperators } from "./operators.ts";
import { requestsOfCluster } from "./orders.ts";
import { memoryFigure, restartFigures, restFigures } from "./rest.ts";
import { rotationFigures } from "./rotation.ts";
import { settle, settleFigures } from "./settle.ts";
import { startWorld } from "./world.ts";

export const bench: Bench = {
  about:
    "`berg clusters` as shipped, on a real control plane, a garden of stand-ins whose Shoots are ready at once, and three real API servers that all Shoots share. Requests are counted by those who answer them. Only until all is settled the limit on requests to the garden is lifted; the bare client makes as many writes of each verb to each server, as many at a time as there are orders at a time, of plain objects",
  async run(options) {
    const { quick, say } = options;
    const clusters = quick ? 50 : 500;
    const requests = clusters * requestsOfCluster;
    const what = `${clusters} Clusters and ${requests} kubeconfigs`;
    say(`starting servers for ${what}`);
    await using world = await startWorld(clusters);
    const settled = await settle(world, clusters, options);

    const before = await world.asked();
    await using operators = await startOperators(world);
    await operators.settled({ clusters, subscriptions: clusters, kubeconfigrequest: requests });
    const restart = await restartFigures(world, before, what, options);
    const rest = await restFigures(world, operators, { objects: clusters + requests, what }, options);
    const rotation = await rotationFigures(world, options);
    const memory = await memoryFigure(operators, "after all were rotated");
    await operators.stop();
    const throughput = await settleFigures(world, clusters, settled, options);
    return [...throughput, ...restart, ...rest, ...rotation, memory];
  },
};
