/** Reads without a pause on some replicas and on others in turn, in a process of its own. */
import { inFlight } from "../instances/pace.ts";
import { report, settingsOf } from "../runtime/child.ts";
import { Connection, type Target } from "./connection.ts";

export interface ThroughputSettings {
  one: readonly Target[];
  two: readonly Target[];
  /** A connection for each. */
  cookies: readonly string[];
  path: string;
  rounds: number;
  /** In each round, of each. */
  requests: number;
}

/** Requests a second, of each round. */
export interface Throughput {
  one: number[];
  two: number[];
}

const { one, two, cookies, path, rounds, requests } = settingsOf<ThroughputSettings>();
const measured: Throughput = { one: [], two: [] };
// The first round only warms up.
for (let round = -1; round < rounds; round++) {
  for (const [name, targets] of Object.entries({ one, two }) as [keyof Throughput, readonly Target[]][]) {
    const perSecond = await block(targets);
    if (round >= 0) measured[name].push(perSecond);
  }
}
report(measured);

async function block(targets: readonly Target[]): Promise<number> {
  const free = await Promise.all(
    cookies.map(async (cookie, index) => ({
      cookie,
      connection: await Connection.open(targets[index % targets.length] as Target),
    })),
  );
  const all = [...free];
  const started = performance.now();
  await inFlight(requests, cookies.length, async () => {
    const one = free.pop() as (typeof all)[number];
    await one.connection.send({ method: "GET", path, headers: { cookie: one.cookie } });
    free.push(one);
  });
  const perSecond = (requests * 1000) / (performance.now() - started);
  for (const { connection } of all) connection[Symbol.dispose]();
  return perSecond;
}
