/** How much the listener takes in, how soon it knows, and what a sweep of the janitor costs. */
import type { Bench } from "../bench.ts";
import { startCrowd } from "./crowd.ts";
import { delayFigures } from "./delays.ts";
import { lineFigures } from "./lines.ts";
import { sweepFigures } from "./sweep.ts";

export const bench: Bench = {
  about: "lines beside the bare informer, each in a fresh process; the rest on a real control plane",
  async run(options) {
    const lines = await lineFigures(options);
    await using crowd = await startCrowd(options.quick ? 300 : 5000, options);
    return [...lines, ...(await delayFigures(crowd, options)), ...(await sweepFigures(crowd, options))];
  },
};
