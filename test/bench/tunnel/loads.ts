/** What is measured of each contender, and by which load. */
import { runChild } from "../runtime/child.ts";
import type { Bulk, BulkSettings } from "./bulk.ts";
import type { CallSettings, Calls } from "./calls.ts";
import type { Site } from "./contender.ts";

export const crowd = 100;

/** A program that is compiled while it runs takes some ten thousand calls to come up to its speed. A tunnel lives for hours. */
const warmUpOfCalls = 8;

export interface Times {
  warmUpMs: number;
  measureMs: number;
}

/** Of one contender. Each in the unit that `standings.ts` says. */
export type Speed =
  | "downloadOne"
  | "downloadEight"
  | "uploadOne"
  | "uploadEight"
  | "newConnections"
  | "echoP50"
  | "echoP99"
  | "firstEchoP50"
  | "firstEchoP99";

type Speeds = Partial<Record<Speed, number>>;

export interface Load {
  about: string;
  run(site: Site, times: Times): Promise<{ measured: Speeds; failed: number }>;
}

export const loads: readonly Load[] = [
  bulk("downloadOne", { direction: "download", streams: 1 }),
  bulk("downloadEight", { direction: "download", streams: 8 }),
  bulk("uploadOne", { direction: "upload", streams: 1 }),
  bulk("uploadEight", { direction: "upload", streams: 8 }),
  calls(
    `${crowd} users, each with a new connection again and again`,
    { users: crowd, connection: "new" },
    ({ perSecond }) => ({ newConnections: perSecond }),
  ),
  calls("echoes on one connection", { users: 1, connection: "kept" }, ({ p50Ms, p99Ms }) => ({
    echoP50: p50Ms,
    echoP99: p99Ms,
  })),
  calls("one user with a new connection again and again", { users: 1, connection: "new" }, ({ p50Ms, p99Ms }) => ({
    firstEchoP50: p50Ms,
    firstEchoP99: p99Ms,
  })),
];

function bulk(key: Speed, load: Pick<BulkSettings, "direction" | "streams">): Load {
  return {
    about: `${load.direction}, streams: ${load.streams}`,
    async run(site, times) {
      const settings: BulkSettings = { ...site, ...load, ...times };
      const { gigabitsPerSecond } = await runChild<Bulk>(new URL("./bulk.ts", import.meta.url), settings);
      return { measured: { [key]: gigabitsPerSecond }, failed: 0 };
    },
  };
}

function calls(about: string, load: Pick<CallSettings, "users" | "connection">, pick: (calls: Calls) => Speeds): Load {
  return {
    about,
    async run(site, times) {
      const warmUpMs = times.warmUpMs * warmUpOfCalls;
      const settings: CallSettings = { ...site, ...load, ...times, warmUpMs };
      const calls = await runChild<Calls>(new URL("./calls.ts", import.meta.url), settings);
      return { measured: pick(calls), failed: calls.failed };
    },
  };
}
