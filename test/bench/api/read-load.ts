/**
 * The load of the reads, in a process of its own: a fixed number of connections, each with one request under way. API and
 * bare server get the same requests in turn, in short blocks, so that a busy moment of the machine meets both.
 */
import { quantile } from "../instances/pace.ts";
import { report, settingsOf } from "../runtime/child.ts";
import { Connection, type Target } from "./connection.ts";

export interface ReadLoadSettings {
  api: Target;
  bare: Target;
  headers: Record<string, string>;
  paths: readonly string[];
  connections: number;
  rounds: number;
  /** In each block. */
  requests: number;
}

/** p99 in ms, of each round. */
export interface ReadTimes {
  api: number[];
  bare: number[];
}

const settings = settingsOf<ReadLoadSettings>();
const open = (target: Target) =>
  Promise.all(Array.from({ length: settings.connections }, () => Connection.open(target)));
const servers = { api: await open(settings.api), bare: await open(settings.bare) };
const times: Record<string, ReadTimes> = Object.fromEntries(
  settings.paths.map((path) => [path, { api: [], bare: [] }]),
);

// The first round only warms up.
for (let round = -1; round < settings.rounds; round++) {
  for (const path of settings.paths) {
    for (const name of round % 2 === 0 ? (["api", "bare"] as const) : (["bare", "api"] as const)) {
      const p99 = quantile(await block(servers[name], path), 0.99);
      if (round >= 0) times[path]?.[name].push(p99);
    }
  }
}
report(times);
for (const connection of [...servers.api, ...servers.bare]) connection[Symbol.dispose]();

async function block(connections: readonly Connection[], path: string): Promise<number[]> {
  const { requests, headers } = settings;
  const durations: number[] = [];
  let left = requests;
  await Promise.all(
    connections.map(async (connection) => {
      while (left-- > 0) {
        const started = performance.now();
        await connection.send({ method: "GET", path, headers });
        durations.push(performance.now() - started);
      }
    }),
  );
  return durations;
}
