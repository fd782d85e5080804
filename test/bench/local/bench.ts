/** One machine as its user has it: how soon an instance answers, how much passes, and how many run at once. */
import type { Bench } from "../bench.ts";
import { firstByteFigures } from "./first-byte.ts";
import { manyFigures } from "./many.ts";
import { startPlace } from "./place.ts";
import { throughputFigures } from "./throughput.ts";

export const bench: Bench = {
  about:
    "`berg up` as shipped, on a Podman of its own, in turn with what stands beside it. Instances have one container (nginx, answering 1 kB from memory), a content flag, an HTTPRoute and a readiness probe. The engine alone: one client makes a network, the container that holds it, and the one in it, and asks until it answers. nginx as a reverse proxy has one worker and keeps its connections. The load comes from a process of its own",
  async run(options) {
    await using place = await startPlace();
    return [
      ...(await firstByteFigures(place, options)),
      ...(await throughputFigures(place, options)),
      ...(await manyFigures(place, options)),
    ];
  },
};
