/**
 * 200 owners, each pressing start 20 times at once on `berg up` with simulated pods: each gets one instance and one row.
 * Then all stop and start again at once: each start waits for the end of the previous instance, and runs.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Instance } from "@berg/api/wire";
import { ChallengeInstances } from "@berg/resources";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hashToken } from "../../packages/api/src/sessions/tokens.ts";
import { eventually } from "../runtime/eventually.ts";
import { Site } from "./site.ts";

const owners = 200;
const startsEach = 20;

let site: Site;
const keys = new Map<string, string>();

beforeAll(async () => {
  site = await Site.start();
  await site.end("SIGTERM");
  insertPlayers();
  await site.up();
});
afterAll(() => site?.[Symbol.asyncDispose]());

function database(): DatabaseSync {
  return new DatabaseSync(join(site.directory, "api.db"));
}

/** With API keys, as scripts have them. */
function insertPlayers(): void {
  using db = database();
  const insert = db.prepare(
    "insert into player (id, name, federated_id, roles, api_key_hash, created_at) values (?, ?, ?, 'player', ?, 0)",
  );
  for (let number = 0; number < owners; number++) {
    const [id, key] = [randomUUID(), randomBytes(32).toString("hex")];
    insert.run(id, `Player ${number}`, `local:${id}`, hashToken(key));
    keys.set(id, key);
  }
}

interface Row {
  id: string;
  owner_id: string;
  state: string;
  flag: string;
}

function rows(): Row[] {
  using db = database();
  return db.prepare("select id, owner_id, state, flag from instances order by id").all() as unknown as Row[];
}

function call<T>(ownerId: string, method: string, body?: object) {
  const headers = { authorization: `Bearer ${keys.get(ownerId)}` };
  return site.call<T>("/api/instances/current", { method, headers, ...(body && { body }) });
}

const start = (ownerId: string) => call<Instance>(ownerId, "POST", { challenge: "notes" });

async function untilAllRun(): Promise<void> {
  await using client = await site.client().then((client) => ({
    list: () => client.list(ChallengeInstances, { namespace: "berg" }),
    [Symbol.asyncDispose]: () => client.close(),
  }));
  await eventually(
    "all run",
    async () => {
      const { items } = await client.list();
      return items.length === owners && items.every(({ status }) => status?.phase === "Running");
    },
    150_000,
    500,
  );
}

test("of 20 starts at once of each of 200 owners one instance comes", async () => {
  const ownerIds = [...keys.keys()];
  const asked = ownerIds.flatMap((ownerId) => Array.from({ length: startsEach }, () => ownerId));
  const answers = await Promise.all(asked.map(async (ownerId) => ({ ownerId, ...(await start(ownerId)) })));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const ids = new Map(ownerIds.map((ownerId) => [ownerId, new Set<string | null>()]));
  for (const { ownerId, body } of answers) ids.get(ownerId)?.add(body.id);
  expect([...ids.values()].map(({ size }) => size)).toEqual(ownerIds.map(() => 1));
  await untilAllRun();
  expect(
    rows()
      .map(({ owner_id }) => owner_id)
      .sort(),
  ).toEqual([...ownerIds].sort());
  expect(new Set(rows().map(({ flag }) => flag)).size).toBe(owners);
});

test("stopped and started again at once, each waits for the end of its previous instance, and runs", async () => {
  const before = new Set(rows().map(({ id }) => id));
  await Promise.all(
    [...keys.keys()].map(async (ownerId) => {
      expect((await call<Instance>(ownerId, "DELETE")).body.status).toBe(3);
      expect((await start(ownerId)).body).toMatchObject({ status: 1, name: "notes" });
    }),
  );
  await eventually(
    "the previous ones have ended",
    () => rows().every(({ id, state }) => before.has(id) === (state === "ended") && state !== "requested"),
    150_000,
    500,
  );
  await untilAllRun();
  expect(rows()).toHaveLength(2 * owners);
});
