/** Players who press start, each once, in a process of their own. A start counts when its ChallengeInstance exists. */
import { Caller } from "../apiserver/caller.ts";
import type { Server } from "../instances/connect.ts";
import { inFlight } from "../instances/pace.ts";
import { report, settingsOf } from "../runtime/child.ts";
import type { Account } from "./accounts.ts";
import { Connection, type Target } from "./connection.ts";
import { instancesPath } from "./start-objects.ts";

export interface StartLoadSettings {
  target: Target;
  publicUrl: string;
  server: Server;
  namespace: string;
  accounts: readonly Account[];
  challengeName: string;
  inParallel: number;
}

const { target, publicUrl, server, namespace, accounts, challengeName, inParallel } = settingsOf<StartLoadSettings>();
const caller = new Caller(server);
const missing = new Set(accounts.map(({ id }) => id));
const created = Promise.withResolvers<void>();
// Without a version the watch begins with what is there: instances of earlier rounds, which are not counted.
await caller.watch(`${instancesPath(namespace)}?watch=true&timeoutSeconds=600`, (line) => {
  const owner = /"ownerId":"([^"]+)"/.exec(line)?.[1];
  if (owner !== undefined && missing.delete(owner) && missing.size === 0) created.resolve();
});
const free = await Promise.all(Array.from({ length: inParallel }, () => Connection.open(target)));
const left = accounts.values();
const started = performance.now();
await inFlight(accounts.length, inParallel, async () => {
  const connection = free.pop() as Connection;
  const { cookie } = left.next().value as Account;
  await connection.send({
    method: "POST",
    path: "/api/instances/current",
    headers: { cookie, origin: publicUrl, "content-type": "application/json" },
    body: JSON.stringify({ challenge: challengeName }),
  });
  free.push(connection);
});
await created.promise;
report({ perSecond: (accounts.length * 1000) / (performance.now() - started) });
for (const connection of free) connection[Symbol.dispose]();
caller.close();
