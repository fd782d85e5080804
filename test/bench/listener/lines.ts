/** Changes of pods a second, through the lines and beside the informer that feeds them. Each contender checks the order. */
import type { BenchOptions } from "../bench.ts";
import { compare, type Figure } from "../figure.ts";
import { runChild, startChild } from "../runtime/child.ts";
import { rounds } from "../runtime/rounds.ts";
import type { Seen } from "../runtime/stopwatch.ts";

export async function lineFigures({ quick, say }: BenchOptions): Promise<Figure[]> {
  const sizes = { pods: 5000, instances: 0, changes: quick ? 10_000 : 80_000 };
  const count = quick ? 1 : 5;
  say(`${sizes.changes} changes of ${sizes.pods} pods over plain HTTP on this machine, ${count} rounds`);
  await using server = await startChild<{ url: string }>(new URL("../runtime/server.ts", import.meta.url), sizes);
  const contender =
    (file: string, more: object = {}) =>
    async () => {
      const settings = { ...sizes, ...server.report, ...more };
      const { perSecond } = await runChild<Seen>(new URL(file, import.meta.url), settings);
      return { perSecond };
    };
  const measured = await rounds(count, {
    informer: contender("../runtime/contenders/informer-frames.ts"),
    one: contender("./contenders/lines.ts", { lines: 1 }),
    twenty: contender("./contenders/lines.ts", { lines: 20 }),
  });
  return (["one", "twenty"] as const).map((name) =>
    compare({
      name: `pod changes through ${name === "one" ? "1 line" : "20 lines"}, beside the bare informer`,
      unit: "changes/s",
      value: measured[name].perSecond,
      beside: measured.informer.perSecond,
      goal: { atLeast: 0.5 },
    }),
  );
}
