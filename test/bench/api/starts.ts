/** Starts a second through HTTP, until their ChallengeInstances exist, beside a client that only does the writes of a start. */
import { join } from "node:path";
import type { BenchOptions } from "../bench.ts";
import { compare, type Figure } from "../figure.ts";
import { runChild } from "../runtime/child.ts";
import { rounds } from "../runtime/rounds.ts";
import { createTables } from "./accounts.ts";
import type { BareStartSettings } from "./bare-starts.ts";
import { bareNamespace, challengeName, namespace, startSite } from "./site.ts";
import type { StartLoadSettings } from "./start-load.ts";

/** Starts under way at the same time. */
export const inParallel = 32;

export async function startFigures({ quick, say }: BenchOptions): Promise<Figure[]> {
  const roundCount = quick ? 3 : 5;
  const count = quick ? 300 : 1500;
  say(`${roundCount} rounds of ${count} starts each`);
  // One more round to warm both up.
  await using site = await startSite(count * (roundCount + 1));
  const bareFile = join(site.directory, "bare.db");
  await createTables(bareFile);
  let from = 0;
  const contenders = {
    async api() {
      const accounts = site.accounts.slice(from, from + count);
      from += count;
      const { target, publicUrl, server } = site;
      const settings: StartLoadSettings = { target, publicUrl, server, namespace, accounts, challengeName, inParallel };
      return runChild<{ perSecond: number }>(new URL("./start-load.ts", import.meta.url), settings);
    },
    async bare() {
      const { server } = site;
      const settings: BareStartSettings = {
        ...{ server, namespace: bareNamespace, file: bareFile, count, challengeName, inParallel },
      };
      return runChild<{ perSecond: number }>(new URL("./bare-starts.ts", import.meta.url), settings);
    },
  };
  await rounds(1, contenders);
  const { api, bare } = await rounds(roundCount, contenders);
  return [
    compare({
      name: "starts through HTTP, beside a bare client that does the same SQL and create",
      unit: "starts/s",
      value: api.perSecond,
      beside: bare.perSecond,
      goal: { atLeast: 0.8 },
    }),
  ];
}
