/** How fast and how large the controller runtime is, beside bare JavaScript and beside Kubernetes' own client. */
import type { Bench } from "../bench.ts";
import { frameFigures } from "./frames.ts";
import { importFigures } from "./imports.ts";
import { memoryFigures } from "./memory.ts";
import { queueFigures } from "./queue.ts";

export const bench: Bench = {
  about: "each contender in a fresh process, in turn, round after round; medians",
  async run(options) {
    return [
      ...(await frameFigures(options)),
      ...(await memoryFigures(options)),
      ...(await importFigures(options)),
      ...(await queueFigures(options)),
    ];
  },
};
