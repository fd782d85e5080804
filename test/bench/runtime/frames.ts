/** Watch frames a second: from the first to the last change that a handler on the informer is told of. */
import type { BenchOptions } from "../bench.ts";
import { compare, type Figure } from "../figure.ts";
import { runChild, startChild } from "./child.ts";
import { rounds } from "./rounds.ts";
import type { Seen } from "./stopwatch.ts";

export async function frameFigures({ quick, say }: BenchOptions): Promise<Figure[]> {
  const sizes = { pods: 5000, instances: 0, changes: quick ? 10_000 : 80_000 };
  const count = quick ? 1 : 5;
  say(`${sizes.changes} changes of ${sizes.pods} pods over plain HTTP on this machine, ${count} rounds`);
  await using server = await startChild<{ url: string }>(new URL("./server.ts", import.meta.url), sizes);
  const settings = { ...sizes, ...server.report };
  const contender = (file: URL) => async () => {
    const { events, perSecond } = await runChild<Seen>(file, settings);
    if (events !== sizes.changes) throw new Error(`${file.pathname} saw ${events} of ${sizes.changes} changes`);
    return { perSecond };
  };
  const { informer, jsonParse, clientNode } = await rounds(count, {
    jsonParse: contender(new URL("./contenders/json-parse-frames.ts", import.meta.url)),
    informer: contender(new URL("./contenders/informer-frames.ts", import.meta.url)),
    clientNode: contender(new URL("./contenders/client-node-frames.ts", import.meta.url)),
  });
  const measured = { unit: "frames/s", value: informer.perSecond };
  return [
    compare({
      ...measured,
      name: "informer, beside JSON.parse of the same bytes",
      beside: jsonParse.perSecond,
      goal: { atLeast: 0.5 },
    }),
    compare({
      ...measured,
      name: "informer, beside that of @kubernetes/client-node",
      beside: clientNode.perSecond,
      goal: { atLeast: 3 },
    }),
  ];
}
