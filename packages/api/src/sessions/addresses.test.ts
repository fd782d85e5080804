import { afterEach, expect, test } from "vitest";
import { Retention } from "../database/retention.ts";
import { enqueue } from "../outbox/store.ts";
import { createLink } from "../sign-in/store.ts";
import { TestApi } from "../testing/test-api.ts";
import type { Session } from "../wire.ts";
import { readAddressRetention } from "./addresses.ts";

const day = 24 * 3_600_000;
let api: TestApi;
afterEach(() => api?.[Symbol.asyncDispose]());

async function signIn(address: string): Promise<string | undefined> {
  const { playerId } = await api.signedIn("Ada");
  const token = await createLink(api.db, playerId, "personal", api.clock.now());
  const { cookie } = await api.call("POST", "/api/sign-in", { body: { token }, address });
  return cookie;
}
const stored = async () =>
  (await api.db.selectFrom("session").select("address").execute()).map(({ address }) => address).filter(Boolean);
const retain = (addressRetentionMs: number) => new Retention({ ...api.context, addressRetentionMs });

test.each([
  [undefined, 30 * day],
  ["", 30 * day],
  ["7d", 7 * day],
  ["12h", day / 2],
  ["1h30m", 5_400_000],
  ["0", 0],
  ["0d", 0],
  ["none", 0],
])("ADDRESS_RETENTION %j is %d ms", (text, want) => {
  expect(readAddressRetention({ ADDRESS_RETENTION: text })).toBe(want);
});

test.each(["soon", "-1h", "1s", "4000d", "30", "d"])("ADDRESS_RETENTION %j is refused", (text) => {
  expect(() => readAddressRetention({ ADDRESS_RETENTION: text })).toThrow(
    `cannot read ADDRESS_RETENTION: "${text}" is not a time such as 30d`,
  );
});

test("players see where they signed in, and no one else does", async () => {
  api = await TestApi.start();
  const cookie = await signIn("::ffff:192.0.2.7");
  const { body } = await api.call<Session[]>("GET", "/api/players/current/sessions", { headers: { cookie } });
  expect(body.map(({ address }) => address).sort()).toEqual(["192.0.2.7", null]);
  expect(api.logged.join()).not.toContain("192.0.2.7");
});

test("registration stores it, too", async () => {
  api = await TestApi.start();
  await api.call("POST", "/api/registration", { body: { name: "Ada" }, address: "2001:db8::1" });
  expect(await stored()).toEqual(["2001:db8::1"]);
});

test("addresses are erased when their time is over, and no earlier; their sessions go on", async () => {
  api = await TestApi.start();
  const cookie = await signIn("192.0.2.7");
  await using _ = retain(day);
  await api.clock.advance(day - 1);
  expect(await stored()).toEqual(["192.0.2.7"]);
  await api.clock.advance(day / 10);
  await expect.poll(stored).toEqual([]);
  expect((await api.call("GET", "/api/players/current", { headers: { cookie } })).status).toBe(200);
});

test("0 stores none, and erases those of before", async () => {
  api = await TestApi.start({ addressRetentionMs: 0 });
  await signIn("192.0.2.7");
  expect(await stored()).toEqual([]);
  await api.db.updateTable("session").set({ address: "192.0.2.8" }).execute();
  await using _ = retain(0);
  await expect.poll(stored).toEqual([]);
});

test("messages that no worker took are deleted after a day, and addresses of deleted accounts", async () => {
  api = await TestApi.start();
  const { playerId } = await api.signedIn("Ada", { email: "ada@example.com" });
  // As the version before this one deletes an account.
  await api.db.updateTable("player").set({ deleted_at: 1 }).where("id", "=", playerId).execute();
  await enqueue(api.db, { kind: "lost-links", body: {}, now: api.clock.now() });
  await using _ = retain(day);
  const left = async () => [
    (await api.db.selectFrom("outbox").selectAll().execute()).length,
    (await api.db.selectFrom("player").select("email").executeTakeFirstOrThrow()).email,
  ];
  await expect.poll(left).toEqual([1, null]);
  await api.clock.advance(day + 3_600_000);
  await expect.poll(left).toEqual([0, null]);
});
