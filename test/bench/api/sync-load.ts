/**
 * Players who start and then stop an instance at a fixed rate, on each replica in turn, in a process of their own. The lag is
 * from before the request until a watch shows that the ChallengeInstance exists, or is being deleted.
 */
import { setTimeout as delay } from "node:timers/promises";
import { Caller } from "../apiserver/caller.ts";
import type { Server } from "../instances/connect.ts";
import { atRate, quantile } from "../instances/pace.ts";
import { report, settingsOf } from "../runtime/child.ts";
import type { Account } from "./accounts.ts";
import { Connection, type Target } from "./connection.ts";
import { instancesPath } from "./start-objects.ts";

export interface SyncLoadSettings {
  targets: readonly Target[];
  publicUrl: string;
  server: Server;
  namespace: string;
  /** Each starts and stops once. */
  accounts: readonly Account[];
  challengeName: string;
  changesPerSecond: number;
}

/** Starts that are not stopped yet: so many instances run at a time. */
const openInstances = 50;
/** After the last change. */
const lateMs = 30_000;

const { targets, publicUrl, server, namespace, accounts, challengeName, changesPerSecond } =
  settingsOf<SyncLoadSettings>();
const caller = new Caller(server);
const lags: number[] = [];
const seenAll = Promise.withResolvers<void>();
/** When each was asked for, by its owner. */
const asked = { start: new Map<string, number>(), stop: new Map<string, number>() };
const free: Connection[][] = targets.map(() => []);

await caller.watch(`${instancesPath(namespace)}?watch=true&timeoutSeconds=600`, (line) => {
  const owner = /"ownerId":"([^"]+)"/.exec(line)?.[1] ?? "";
  seen("start", owner);
  if (line.includes('"deletionTimestamp"') || line.startsWith('{"type":"DELETED"')) seen("stop", owner);
});
const waiting: Account[] = [];
const left = accounts.values();
let count = 0;
await atRate(changesPerSecond, accounts.length * 2, () => {
  const next = waiting.length < openInstances ? left.next().value : undefined;
  if (next) waiting.push(next);
  return next ? change("start", next) : change("stop", waiting.shift() as Account);
});
await Promise.race([seenAll.promise, delay(lateMs)]);
if (lags.length !== accounts.length * 2) throw new Error(`${lags.length} of ${accounts.length * 2} changes were seen`);
report({ lagP99Ms: quantile(lags, 0.99) });
for (const connection of free.flat()) connection[Symbol.dispose]();
caller.close();

async function change(kind: "start" | "stop", { id, cookie }: Account): Promise<void> {
  const index = count++ % targets.length;
  const connection = free[index]?.pop() ?? (await Connection.open(targets[index] as Target));
  asked[kind].set(id, performance.now());
  const headers = { cookie, origin: publicUrl, ...(kind === "start" && { "content-type": "application/json" }) };
  const path = "/api/instances/current";
  await connection.send(
    kind === "start"
      ? { method: "POST", path, headers, body: JSON.stringify({ challenge: challengeName }) }
      : { method: "DELETE", path, headers },
  );
  free[index]?.push(connection);
}

function seen(kind: "start" | "stop", owner: string): void {
  const at = asked[kind].get(owner);
  if (at === undefined) return;
  asked[kind].delete(owner);
  lags.push(performance.now() - at);
  if (lags.length === accounts.length * 2) seenAll.resolve();
}
