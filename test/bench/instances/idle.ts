/** What a controller costs that has nothing to do, with many instances running; and again after a restart. */
import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { parseQuantity } from "@berg/apimachinery";
import { parse } from "yaml";
import type { BenchOptions } from "../bench.ts";
import { compare, type Figure } from "../figure.ts";
import { isOfLease, type LoggedRequest } from "./audit-log.ts";
import type { Cluster } from "./cluster.ts";
import { type ControllerProcess, startController } from "./controller.ts";

/** How long whoever stands by waits for the lease of a leader that died: a restart has no reason to take longer. */
const leaseSeconds = 15;
const quietMs = 5000;

/** Stops `controller`, which has made all of them. */
export async function idleFigures(
  cluster: Cluster,
  controller: ControllerProcess,
  running: number,
  { quick, say }: BenchOptions,
): Promise<Figure[]> {
  const seconds = quick ? 20 : 60;
  const around = { cluster, seconds, requests: await requestsOf() };
  say(`${running} instances running, ${seconds} s at rest`);
  await delay(quietMs);
  const atRest = await rest(controller, `at rest with ${running} running`, around);
  await controller.stop();

  say("the same after a restart of the controller");
  const mark = await cluster.audit.mark();
  const started = performance.now();
  await using restarted = await startController(cluster);
  await restarted.settled(running);
  const settledIn = (performance.now() - started) / 1000;
  await delay(quietMs);
  const writes = await cluster.audit.since(mark);
  return [
    ...atRest,
    compare({
      name: `restart with ${running} running until settled, beside a lease's length`,
      unit: "s",
      value: settledIn,
      beside: leaseSeconds,
      goal: { atMost: 1 },
    }),
    besideLease(`writes of a restart with ${running} running, beside those to its lease`, "writes", writes),
    ...(await rest(restarted, `at rest after the restart`, around)),
  ];
}

interface Around {
  cluster: Cluster;
  seconds: number;
  requests: { cpu: number; memoryMiB: number };
}

async function rest(controller: ControllerProcess, when: string, { cluster, seconds, requests }: Around) {
  const mark = await cluster.audit.mark();
  const before = await controller.cpuSeconds();
  await delay(seconds * 1000);
  const cpu = (await controller.cpuSeconds()) - before;
  const writes = await cluster.audit.since(mark);
  const limit = { atMost: 1 };
  return [
    besideLease(`writes ${when}, beside those to its lease`, "writes/min", writes, 60 / seconds),
    compare({
      name: `processor ${when}, beside what deploy/ requests`,
      unit: "% of a core",
      value: (cpu / seconds) * 100,
      beside: requests.cpu * 100,
      goal: limit,
    }),
    compare({
      name: `resident memory ${when}, beside what deploy/ requests`,
      unit: "MiB",
      value: await controller.residentMiB(),
      beside: requests.memoryMiB,
      goal: limit,
    }),
  ];
}

/** None but those: the goal is that nothing else is written. */
function besideLease(name: string, unit: string, writes: LoggedRequest[], factor = 1): Figure {
  const value = writes.length * factor;
  return compare({ name, unit, value, beside: writes.filter(isOfLease).length * factor, goal: { atMost: 1 } });
}

/** What the Deployment that we ship asks for. */
export async function requestsOf(deployment = "deployment.yaml"): Promise<{ cpu: number; memoryMiB: number }> {
  const file = new URL(`../../../deploy/${deployment}`, import.meta.url);
  const [container] = parse(await readFile(file, "utf8")).spec.template.spec.containers;
  const { cpu, memory } = container.resources.requests;
  const cores = Number(parseQuantity(cpu).milliValue()) / 1000;
  return { cpu: cores, memoryMiB: Number(parseQuantity(memory).value()) / 2 ** 20 };
}
