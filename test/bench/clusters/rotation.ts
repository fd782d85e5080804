/** Every kubeconfig is to be rotated, at once and in no order: how many a second are, and what it costs Gardener. */
import { setTimeout as delay } from "node:timers/promises";
import type { Stored } from "@berg/apimachinery";
import { type KubeconfigRequest, KubeconfigRequests } from "@berg/resources";
import type { BenchOptions } from "../bench.ts";
import { compare, type Figure } from "../figure.ts";
import { inFlight } from "../instances/pace.ts";
import { describeCounts, total } from "./counts.ts";
import { limit } from "./orders.ts";
import { since } from "./rest.ts";
import { isIssued, until } from "./until.ts";
import { namespace, type World } from "./world.ts";

const rotate = "operator.kyma-project.io/rotate";
/** Of 1,000 requests that live for an hour, one every 48 minutes. */
const neededPerSecond = 0.35;
/** What is to be asked of Gardener at most, in ten seconds: five requests a second, and ten more after a pause. */
const windowMs = 10_000;
const mostInWindow = 60;
/** The anchor is created, a token asked for and tried, the anchor before deleted. */
const neededOfTarget = 4;

export async function rotationFigures(world: World, options: BenchOptions): Promise<Figure[]> {
  const { client, garden } = world;
  const requests = world.requests.list();
  const epochs = new Map(requests.map(({ metadata, status }) => [metadata.uid, status?.epoch ?? 0]));
  options.say(`${requests.length} kubeconfigs to be rotated`);
  const before = await world.asked();
  const begun = garden.requests.length;
  const started = performance.now();
  const names = inNoOrder(requests.map(({ metadata }) => metadata.name));
  await inFlight(names.length, limit, () => {
    const body = { metadata: { annotations: { [rotate]: "true" } } };
    return client.patch(KubeconfigRequests, namespace, names.pop() as string, { type: "merge", body });
  });
  const wanted = { name: "kubeconfigs", of: world.requests, count: requests.length };
  await until(options, {
    ...wanted,
    isDone: ({ metadata, status }: Stored<KubeconfigRequest>) => (status?.epoch ?? 0) > (epochs.get(metadata.uid) ?? 0),
  });
  const seconds = (performance.now() - started) / 1000;
  options.say(`rotated after ${seconds.toFixed(1)} s; waiting until those from before are of no use`);
  const isOver = (request: KubeconfigRequest) => !(rotate in (request.metadata.annotations ?? {})) && isIssued(request);
  await until(options, { ...wanted, isDone: isOver });
  await delay(1000);
  const asked = since(before, await world.asked());
  for (const [whom, counts] of Object.entries(asked))
    options.say(`asked by rotations of the ${whom}: ${describeCounts(counts)}`);
  const admin = garden.requests.slice(begun).filter(({ subresource }) => subresource === "adminkubeconfig");
  return [
    compare({
      name: `rotations, ${requests.length} asked for at once, beside what 1,000 kubeconfigs of an hour need`,
      unit: "rotations/s",
      value: requests.length / seconds,
      beside: neededPerSecond,
      goal: { atLeast: 10 },
    }),
    compare({
      name: "administrators' kubeconfigs asked of Gardener in the busiest 10 s of it, beside the limit",
      unit: "requests",
      value: busiest(admin.map(({ at }) => at)),
      beside: mostInWindow,
      goal: { atMost: 1 },
    }),
    compare({
      name: "administrators' kubeconfigs for each rotation with its clean-up, beside one for each of the two",
      unit: "requests",
      value: admin.length / requests.length,
      beside: 2,
      goal: { atMost: 1 },
    }),
    compare({
      name: "requests to the target for each rotation with its clean-up, beside those it needs",
      unit: "requests",
      value: total(asked.targets) / requests.length,
      beside: neededOfTarget,
      goal: { atMost: 2.5 },
    }),
  ];
}

/** By name, but not by Cluster: as it is when each has its own time. */
function inNoOrder(names: string[]): string[] {
  return names.sort((a, b) => (reversed(a) < reversed(b) ? -1 : 1));
}

function reversed(text: string): string {
  return [...text].reverse().join("");
}

/** Of the ten seconds in which most of them came. */
function busiest(times: number[]): number {
  return Math.max(0.1, ...times.map((from) => times.filter((at) => at >= from && at < from + windowMs).length));
}
