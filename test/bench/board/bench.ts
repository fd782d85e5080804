/** How long the scoreboard takes to follow a solve. */
import { BoardModel } from "../../../packages/api/src/board/model.ts";
import { largeBoard } from "../../../packages/api/src/testing/large-board.ts";
import type { Bench } from "../bench.ts";
import { compare, median } from "../figure.ts";

const limitMs = 10;

export const bench: Bench = {
  about:
    "after one more solve, both cuts and their rankings are computed anew from all rows; CPU time, median. The limit is a hundredth of a tick",
  async run({ quick, say }) {
    const rounds = quick ? 20 : 200;
    const { settings, rows } = largeBoard();
    const model = new BoardModel(settings, rows);
    const [first, ...others] = rows.solves;
    if (!first) throw new Error("there is no solve");
    say(
      `${[...rows.scorers].length} teams × ${settings.challenges.length} challenges × ${others.length + 1} solves, ${rounds} rounds`,
    );
    const milliseconds = Array.from({ length: rounds }, (_, round) => {
      model.apply({ type: "solve", ...first, id: others.length + 2 + round });
      const before = process.cpuUsage();
      void model.public.ranking;
      void model.full.ranking;
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    });
    return [
      compare({
        name: "recompute of the board after a solve, beside its limit",
        unit: "ms",
        value: median(milliseconds),
        beside: limitMs,
        goal: { atMost: 1 },
      }),
    ];
  },
};
