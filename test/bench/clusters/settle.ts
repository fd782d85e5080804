/** From the first order until everything is settled, beside a bare client that writes as much to the same servers. */
import type { BenchOptions } from "../bench.ts";
import { compare, type Figure } from "../figure.ts";
import { runChild } from "../runtime/child.ts";
import type { BareSettings, BareWork } from "./bare.ts";
import { type Counts, describeCounts, total } from "./counts.ts";
import { startOperators } from "./operators.ts";
import { limit, orderClusters, requestsOfCluster } from "./orders.ts";
import { memoryFigure, since } from "./rest.ts";
import { isIssued, isReady, until } from "./until.ts";
import type { Asked, World } from "./world.ts";

/** As shipped, five requests a second go to Gardener: that would be measured, and nothing else. */
const noGardenLimit = { GARDEN_REQUESTS_PER_SECOND: "1000", GARDEN_BURST: "1000" };
/** Its account and the name of its Shoot are looked at, the Shoot is created, an administrator's kubeconfig asked for. */
const neededOfGarden = 4;

export interface Settled {
  objectsPerSecond: number;
  /** What they cost. */
  asked: Asked;
  memory: Figure;
}

/** Starts operators, and ends them when there is nothing left to do. */
export async function settle(world: World, clusters: number, options: BenchOptions): Promise<Settled> {
  const requests = clusters * requestsOfCluster;
  const before = await world.asked();
  await using operators = await startOperators(world, noGardenLimit);
  await operators.settled({ clusters: 0, subscriptions: 0, kubeconfigrequest: 0 });
  const started = performance.now();
  await orderClusters(world, clusters);
  await until(
    options,
    { name: "Clusters", of: world.clusters, count: clusters, isDone: isReady },
    { name: "kubeconfigs", of: world.requests, count: requests, isDone: isIssued },
  );
  const seconds = (performance.now() - started) / 1000;
  await operators.settled({ clusters, subscriptions: clusters, kubeconfigrequest: requests });
  const asked = since(before, await world.asked());
  const cpu = await operators.cpuSeconds();
  options.say(`settled after ${seconds.toFixed(1)} s, of which the operators worked for ${cpu.toFixed(1)} s`);
  for (const [whom, counts] of Object.entries(asked)) options.say(`asked of the ${whom}: ${describeCounts(counts)}`);
  const memory = await memoryFigure(operators, "when all are settled");
  return { objectsPerSecond: (clusters + requests) / seconds, asked, memory };
}

export async function settleFigures(
  world: World,
  clusters: number,
  { objectsPerSecond, asked, memory }: Settled,
  { say }: BenchOptions,
): Promise<Figure[]> {
  const objects = clusters * (1 + requestsOfCluster);
  say("the bare client");
  const { seconds } = await runChild<BareWork>(new URL("./bare.ts", import.meta.url), await bareSettings(world, asked));
  return [
    compare({
      name: `${clusters} Clusters and ${clusters * requestsOfCluster} kubeconfigs, settled, beside a bare client's writes`,
      unit: "objects/s",
      value: objectsPerSecond,
      beside: objects / seconds,
      goal: { atLeast: 0.3 },
    }),
    compare({
      name: "requests to the garden for each Cluster, beside those it needs",
      unit: "requests",
      value: total(asked.garden) / clusters,
      beside: neededOfGarden,
      goal: { atMost: 1.5 },
    }),
    memory,
  ];
}

async function bareSettings({ server, garden }: World, asked: Asked): Promise<BareSettings> {
  const place = async (of: { connection: World["garden"]["connection"]; token: string }, counts: Counts) => {
    const { ca = "" } = await of.connection.tls();
    return { server: of.connection.server, ca: String(ca), token: of.token, counts };
  };
  const shares = garden.targets.map(() => share(asked.targets, garden.targets.length));
  return {
    limit,
    namespace: garden.namespace,
    places: [
      { ...server, counts: asked.controlPlane },
      await place({ connection: garden.connection, token: garden.controlPlane.token }, asked.garden),
      ...(await Promise.all(garden.targets.map(({ controlPlane }, n) => place(controlPlane, shares[n] as Counts)))),
    ],
  };
}

function share(counts: Counts, parts: number): Counts {
  return Object.fromEntries(Object.entries(counts).map(([kind, count]) => [kind, Math.round(count / parts)]));
}
