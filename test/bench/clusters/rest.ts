/** What the operators cost that have just been restarted, and that have nothing to do. */
import { setTimeout as delay } from "node:timers/promises";
import type { BenchOptions } from "../bench.ts";
import { compare, type Figure } from "../figure.ts";
import { requestsOf as requestsOfDeployment } from "../instances/idle.ts";
import { type Counts, describeCounts, difference, isOfLease, isWatch, isWrite, sum, total } from "./counts.ts";
import type { Operators } from "./operators.ts";
import type { Asked, World } from "./world.ts";

const quietMs = 5000;
const deployment = "clusters/deployment.yaml";

/** Of operators that were started on a settled world, of which `before` had been asked until then. */
export async function restartFigures(
  world: World,
  before: Asked,
  what: string,
  { say }: BenchOptions,
): Promise<Figure[]> {
  await delay(quietMs);
  const asked = since(before, await world.asked());
  tell("asked by the restart", asked, say);
  const writes = sum(asked.controlPlane, asked.garden, asked.targets);
  return [
    compare({
      name: `writes of a restart with ${what}, to all servers, beside those to its lease`,
      unit: "writes",
      value: total(writes, isWrite),
      beside: total(asked.controlPlane, (kind) => isWrite(kind) && isOfLease(kind)),
      goal: { atMost: 1 },
    }),
  ];
}

export async function restFigures(
  world: World,
  operators: Operators,
  { objects, what }: { objects: number; what: string },
  { quick, say }: BenchOptions,
): Promise<Figure[]> {
  const seconds = quick ? 20 : 60;
  say(`${what}, ${seconds} s at rest`);
  const before = await world.asked();
  const cpuBefore = await operators.cpuSeconds();
  await delay(seconds * 1000);
  const cpu = (await operators.cpuSeconds()) - cpuBefore;
  const asked = since(before, await world.asked());
  tell("asked at rest", asked, say);
  const { cpu: cores } = await requestsOfDeployment(deployment);
  return [
    compare({
      name: `requests to the control plane in ${seconds} s at rest, beside those for its lease and watches`,
      unit: "requests",
      value: total(asked.controlPlane),
      beside: total(asked.controlPlane, (kind) => isOfLease(kind) || isWatch(kind)),
      goal: { atMost: 1 },
    }),
    withoutRequest(
      `objects that cost the garden no request in ${seconds} s at rest, beside all`,
      objects,
      asked.garden,
    ),
    withoutRequest(`objects that cost a target no request in ${seconds} s at rest, beside all`, objects, asked.targets),
    compare({
      name: `processor at rest with ${what}, beside what deploy/ requests`,
      unit: "% of a core",
      value: (cpu / seconds) * 100,
      beside: cores * 100,
      goal: { atMost: 1 },
    }),
    await memoryFigure(operators, `at rest with ${what}`),
  ];
}

export async function memoryFigure(operators: Operators, when: string): Promise<Figure> {
  const { memoryMiB } = await requestsOfDeployment(deployment);
  return compare({
    name: `resident memory ${when}, beside what deploy/ requests`,
    unit: "MiB",
    value: await operators.residentMiB(),
    beside: memoryMiB,
    goal: { atMost: 1 },
  });
}

export function since(before: Asked, after: Asked): Asked {
  return {
    controlPlane: difference(after.controlPlane, before.controlPlane),
    garden: difference(after.garden, before.garden),
    targets: difference(after.targets, before.targets),
  };
}

/** A watch is renewed every few minutes, however many objects there are. */
function withoutRequest(name: string, objects: number, asked: Counts): Figure {
  const requests = total(asked, (kind) => !isWatch(kind));
  // None left out of all cannot be compared.
  const value = Math.max(0.1, objects - requests);
  return compare({ name, unit: "objects", value, beside: objects, goal: { atLeast: 1 } });
}

function tell(when: string, asked: Asked, say: BenchOptions["say"]): void {
  for (const [whom, counts] of Object.entries(asked)) say(`${when} of the ${whom}: ${describeCounts(counts)}`);
}
