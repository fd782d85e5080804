/** How fast the API answers, starts instances and sends messages, and how much the pages weigh. */
import type { Bench } from "../bench.ts";
import { firstViewFigures } from "./first-view.ts";
import { readers, readFigures } from "./reads.ts";
import { replicaFigures } from "./replicas.ts";
import { socketFigures } from "./sockets.ts";
import { inParallel, startFigures } from "./starts.ts";

export const bench: Bench = {
  about: `\`berg api\` as shipped, on SQLite and the embedded API server, each in a process of its own, and the load in another. ${inParallel} starts in parallel; reads on ${readers} connections without a pause, in turn with the bare server; medians of the rounds. Two replicas are two such processes on PostgreSQL. The first view is that of a real browser with an empty cache`,
  async run(options) {
    return [
      ...(await startFigures(options)),
      ...(await readFigures(options)),
      ...(await socketFigures(options)),
      ...(await replicaFigures(options)),
      ...(await firstViewFigures(options)),
    ];
  },
};
