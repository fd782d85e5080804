import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../testing/test-server.ts";
import type { Challenge, Hint, Problem } from "../wire.ts";

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer();
  const hints = [
    { name: "first", title: "First step", content: "Read **this** <script>x</script>", cost: 30 },
    { name: "free", title: "", content: "Nothing", cost: 0 },
  ];
  server.addChallenge("web", { flag: "flag{web}", hints });
});
afterEach(() => server[Symbol.asyncDispose]());

type Asker = Awaited<ReturnType<TestServer["signIn"]>>;
const path = "/api/challenges/web/hints";
async function call<T>(method: "GET" | "POST", url: string, { headers }: Pick<Asker, "headers"> = { headers: {} }) {
  return (await server.app.inject({ method, url, headers })).json<T & Problem>();
}
const unlocks = () => server.db.selectFrom("ledger").selectAll().where("kind", "=", "hint").execute();

test("a hint is read once it is unlocked, and costs its points once", async () => {
  const [ada, eve] = [await server.signIn(), await server.signIn()];
  const listed = await call<Challenge>("GET", "/api/challenges/web", ada);
  expect(listed.hints).toEqual([
    { name: "first", title: "First step", cost: 30 },
    { name: "free", title: "", cost: 0 },
  ]);
  expect(JSON.stringify([listed, await call("GET", path, ada)])).not.toMatch(/Read|Nothing/);
  const answers = await Promise.all(Array.from({ length: 5 }, () => call<Hint>("POST", `${path}/first`, ada)));
  for (const answer of answers) expect(answer.content).toBe("<p>Read <strong>this</strong> </p>\n");
  expect(await unlocks()).toMatchObject([{ scorer_id: ada.id, player_id: ada.id, points: 30, detail: "first" }]);
  const contents = async (asker: Asker) =>
    (await call<Hint[]>("GET", path, asker)).map(({ content }) => content !== null);
  expect([await contents(ada), await contents(eve)]).toEqual([
    [true, false],
    [false, false],
  ]);
  await server.context.board.refresh();
  expect(server.context.board.model.public.standing(ada.id)?.score).toBe(-30);
});

test("an unknown hint is named; strangers unlock nothing", async () => {
  const ada = await server.signIn();
  expect(await call("POST", `${path}/second`, ada)).toMatchObject({
    status: 404,
    detail: expect.stringContaining("second"),
  });
  const headers = { origin: server.context.settings.publicUrl };
  expect((await call("POST", `${path}/first`, { headers })).status).toBe(401);
  expect((await call("GET", path)).status).toBe(401);
  expect(await unlocks()).toEqual([]);
});
