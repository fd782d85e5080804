/**
 * What a start cannot do without, and nothing else: the statements of the API's transaction, prepared once, the create of
 * the ChallengeInstance, and the row's next state. No HTTP in front, no session, no rules, no reconcile.
 */
import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { Caller } from "../apiserver/caller.ts";
import type { Server } from "../instances/connect.ts";
import { inFlight } from "../instances/pace.ts";
import { report, settingsOf } from "../runtime/child.ts";
import { instanceObject, instancesPath } from "./start-objects.ts";

export interface BareStartSettings {
  server: Server;
  namespace: string;
  /** A SQLite file with the API's tables. */
  file: string;
  count: number;
  challengeName: string;
  inParallel: number;
}

const { server, namespace, file, count, challengeName, inParallel } = settingsOf<BareStartSettings>();
const caller = new Caller(server);
using db = new DatabaseSync(file);
// As the API opens its file.
db.exec("pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on");
const openRows = db.prepare('select * from "instances" where "owner_id" = ? and "terminated_at" is null order by "id"');
const isTaken = db.prepare('select "id" from "instances" where "challenge_name" = ? and "flag_hmac" = ?');
const insert = db.prepare(
  'insert into "instances" ("id", "owner_id", "started_by", "challenge_name", "flag", "flag_hmac", "flag_reused", "state", "started_at") values (?, ?, ?, ?, ?, ?, 0, \'requested\', ?)',
);
const setState = db.prepare('update "instances" set "state" = \'created\' where "id" = ? and "state" = \'requested\'');
const key = randomBytes(32);
const started = performance.now();
await inFlight(count, inParallel, async () => {
  const [id, ownerId, flag] = [randomUUID(), randomUUID(), `flag{${randomBytes(16).toString("hex")}}`];
  const hmac = createHmac("sha256", key).update(flag).digest("hex");
  db.exec("begin immediate");
  openRows.all(ownerId);
  isTaken.get(challengeName, hmac);
  insert.run(id, ownerId, ownerId, challengeName, flag, hmac, Date.now());
  db.exec("commit");
  const body = instanceObject({ namespace, id, ownerId, challengeName, flag });
  await caller.call({ method: "POST", path: `${instancesPath(namespace)}?fieldManager=berg-api`, body });
  setState.run(id);
});
report({ perSecond: (count * 1000) / (performance.now() - started) });
caller.close();
