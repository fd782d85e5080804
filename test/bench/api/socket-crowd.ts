/**
 * Signed-in players with a page open each, in a process of their own. It also changes the status of their instances, so
 * that one clock measures from before the write to the message.
 */
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { WebSocket } from "ws";
import { Caller } from "../apiserver/caller.ts";
import type { Server } from "../instances/connect.ts";
import { atRate, inFlight, quantile } from "../instances/pace.ts";
import { report, settingsOf } from "../runtime/child.ts";
import type { Account } from "./accounts.ts";
import type { Target } from "./connection.ts";
import { sentAt, sourceAddress } from "./crowd.ts";
import { instancesPath } from "./start-objects.ts";

export interface CrowdSettings {
  target: Target;
  publicUrl: string;
  server: Server;
  namespace: string;
  accounts: readonly Account[];
  /** Of the accounts, those with an instance. */
  ownerCount: number;
  changes: number;
  changesPerSecond: number;
}

/** After the last change. */
const lateMs = 30_000;

const settings = settingsOf<CrowdSettings>();
const { target, publicUrl, accounts, ownerCount, changes, changesPerSecond } = settings;
const delays: number[] = [];
const heardAll = Promise.withResolvers<void>();
let opened = 0;
await inFlight(accounts.length, 50, () => open(opened++));
report({ open: opened });
// The parent measures the memory in between, and then asks for the changes.
process.once("message", async () => {
  await change();
  report({ delayP99Ms: quantile(delays, 0.99) });
});

async function open(index: number): Promise<void> {
  const { id, cookie } = accounts[index] as Account;
  const socket = new WebSocket(`ws://127.0.0.1:${target.port}/api/events`, {
    headers: { host: target.host, origin: publicUrl, cookie },
    // The API limits the sockets of one address.
    localAddress: sourceAddress(index),
    perMessageDeflate: false,
  });
  const greeted = Promise.withResolvers<void>();
  socket.on("message", (data) => {
    const text = data.toString();
    if (text.includes(`"current-player","message":"${id}"`)) greeted.resolve();
    const at = sentAt(text);
    if (at === undefined) return;
    delays.push(performance.now() - at);
    if (delays.length === changes) heardAll.resolve();
  });
  await once(socket, "open");
  await greeted.promise;
}

async function change(): Promise<void> {
  const caller = new Caller(settings.server);
  let next = 0;
  await atRate(changesPerSecond, changes, () => {
    const { id } = accounts[next++ % ownerCount] as Account;
    return caller.call({
      method: "PATCH",
      path: `${instancesPath(settings.namespace)}/owner-${id}/status`,
      contentType: "application/merge-patch+json",
      body: { status: { phase: "Creating", message: `sent at ${performance.now()} ms` } },
    });
  });
  await Promise.race([heardAll.promise, delay(lateMs)]);
  // Of two changes of one instance that come together, the owner may be sent the second only; they are seconds apart.
  if (delays.length !== changes) throw new Error(`${delays.length} of ${changes} messages arrived`);
  caller.close();
}
