/** How soon a process holds a large event in its caches, and what it then weighs. */
import type { BenchOptions } from "../bench.ts";
import { compare, type Figure } from "../figure.ts";
import { runChild, startChild } from "./child.ts";
import type { Memory } from "./contenders/memory.ts";
import { rounds } from "./rounds.ts";

interface Filled extends Memory {
  objects: number;
  seconds: number;
}

export async function memoryFigures({ quick, say }: BenchOptions): Promise<Figure[]> {
  const sizes = quick ? { pods: 2000, instances: 1000, changes: 0 } : { pods: 20_000, instances: 10_000, changes: 0 };
  const count = quick ? 1 : 3;
  say(`${sizes.pods} pods and ${sizes.instances} ChallengeInstances in memory, ${count} rounds`);
  await using server = await startChild<{ url: string }>(new URL("./server.ts", import.meta.url), sizes);
  const contender = (file: URL) => async () => {
    const filled = await runChild<Filled>(file, server.report, ["--expose-gc"]);
    const { objects, seconds, resident, heap } = filled;
    if (objects !== sizes.pods + sizes.instances) throw new Error(`${file.pathname} holds ${objects} objects`);
    return { resident, heap, perSecond: objects / seconds };
  };
  const { informer, clientNode } = await rounds(count, {
    informer: contender(new URL("./contenders/informer-memory.ts", import.meta.url)),
    clientNode: contender(new URL("./contenders/client-node-memory.ts", import.meta.url)),
  });
  const goal = { atMost: 1 };
  return [
    compare({
      name: "first filling of the caches, beside @kubernetes/client-node",
      unit: "objects/s",
      value: informer.perSecond,
      beside: clientNode.perSecond,
      goal: { atLeast: 1 },
    }),
    compare({
      name: "resident memory, beside @kubernetes/client-node",
      unit: "MiB",
      value: informer.resident,
      beside: clientNode.resident,
      goal,
    }),
    compare({
      name: "heap in use, beside @kubernetes/client-node",
      unit: "MiB",
      value: informer.heap,
      beside: clientNode.heap,
      goal,
    }),
  ];
}
