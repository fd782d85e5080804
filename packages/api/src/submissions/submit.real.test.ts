/** Flags that arrive at the same time at two replicas on one PostgreSQL. */
import { makeKey } from "@berg/apimachinery";
import { missingPostgres, startPostgres, type TestPostgres } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, TestApi } from "../testing/test-api.ts";
import type { Problem } from "../wire.ts";

describe.skipIf(missingPostgres())("two replicas", () => {
  let postgres: TestPostgres;
  let apis: [TestApi, TestApi];
  const parts = new AsyncDisposableStack();
  beforeAll(async () => {
    postgres = parts.use(await startPostgres());
    const database = await postgres.newDatabase();
    const start = async () => parts.use(await TestApi.start({ database, isReplica: true }));
    apis = [await start(), await start()];
    const challenges = ["web", "pwn"].map((name) => ({
      metadata: { namespace: "berg", name },
      spec: { flag: "flag{x}", flags: [], containers: [], prerequisites: [], hints: [] },
    })) as never[];
    const get = (key: string) => challenges[["web", "pwn"].findIndex((name) => key === makeKey("berg", name))];
    for (const api of apis) {
      api.challenges = challenges;
      api.rules = { ...api.rules, teams: { enabled: true }, submissions: { burst: 1000, intervalSeconds: 1 } };
      Object.assign(api.context, { caches: () => ({ challenges: { get, list: () => challenges } }) });
    }
  });
  afterAll(() => parts.disposeAsync());

  async function team(name: string): Promise<[Browser, Browser]> {
    const one = await apis[0].signedIn(name);
    await one.call("POST", "/api/teams/create", { body: { name } });
    // The same session at the other replica.
    return [one, await apis[1].browser(one.playerId)];
  }
  const submit = (who: Browser, challenge: string) =>
    who.call<Problem>("POST", "/api/solves", { body: { challenge, flag: "flag{x}" } });
  const ledger = () => apis[0].db.selectFrom("ledger").selectAll().where("kind", "=", "solve").orderBy("id").execute();

  test("store one solve of 100 right flags of one team", async () => {
    const members = await team("Compilers");
    const tries = Array.from({ length: 100 }, (_, index) => submit(members[index % 2] as Browser, "web"));
    const answers = await Promise.all(tries);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status !== 200).map(({ body }) => body.code);
    expect(new Set(refused)).toEqual(new Set(["already_solved"]));
    expect(await ledger()).toHaveLength(1);
  });

  test("agree on one first blood and one order of 50 teams at once", async () => {
    const teams = await Promise.all(Array.from({ length: 50 }, (_, index) => team(`Team ${index}`)));
    const answers = await Promise.all(teams.map((members, index) => submit(members[index % 2] as Browser, "pwn")));
    expect(answers.map(({ status }) => status)).toEqual(teams.map(() => 200));
    const rows = (await ledger()).filter(({ challenge_name }) => challenge_name === "pwn");
    for (const { context } of apis) await context.board.refresh();
    const [one, other] = apis.map(({ context }) => context.board.model.public);
    const order = one?.solves().filter(({ challenge }) => challenge === "pwn");
    expect(order?.map(({ id, position }) => [id, position])).toEqual(rows.map(({ id }, index) => [id, index + 1]));
    expect(one?.challenges.find(({ name }) => name === "pwn")?.firstBlood?.id).toBe(rows[0]?.id);
    expect([other?.version, other?.ranking]).toEqual([one?.version, one?.ranking]);
  });
});
