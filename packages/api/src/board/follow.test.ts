/** The board of a process that follows the ledger is the board of one that starts now. */
import { silentLogger } from "@berg/kube";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { appendToLedger, lockLedger } from "../ledger/store.ts";
import { TestApi } from "../testing/test-api.ts";
import type { CurrentTeam } from "../wire.ts";
import { Board } from "./board.ts";
import { boardDocument } from "./document.ts";

const challengeNames = ["a", "b", "c"];
const challenges = challengeNames.map((name) => ({ metadata: { namespace: "berg", name }, spec: {} })) as never[];

/** Everything that anybody can see of it. */
const shown = ({ model }: Board) =>
  [model.public, model.full].map((cut) => [
    boardDocument(cut),
    cut.ranking,
    cut.ranking.map(({ scorer }) => [cut.solvesOf(scorer.id), cut.graph(scorer.id)]),
  ]);

/** One that starts now. */
async function loaded(api: TestApi) {
  await using board = await Board.load({
    ...{ db: api.db, clock: api.clock, log: silentLogger },
    ...{ competition: () => api.rules, challenges: () => api.challenges },
  });
  return shown(board);
}

const player = fc.nat({ max: 3 });
const step = fc.oneof(
  fc.record({ type: fc.constant("solve" as const), player, challenge: fc.constantFrom(...challengeNames) }),
  fc.record({ type: fc.constant("moderate" as const), player, isBanned: fc.boolean(), isHidden: fc.boolean() }),
  fc.record({ type: fc.constant("award" as const), player, points: fc.integer({ min: -9, max: 9 }) }),
  fc.record({ type: fc.constant("rename" as const), player, name: fc.constantFrom("x", "y", "\u202ez", "<b>") }),
  fc.record({ type: fc.constant("roles" as const), player, isAdmin: fc.boolean() }),
  fc.record({ type: fc.constant("team" as const), player }),
  fc.record({ type: fc.constant("delete" as const), player }),
  fc.record({ type: fc.constant("freeze" as const), inMs: fc.nat({ max: 3_000 }) }),
  fc.constant({ type: "unfreeze" as const }),
  fc.record({ type: fc.constant("teams" as const), enabled: fc.boolean() }),
  fc.record({ type: fc.constant("challenges" as const), count: fc.nat({ max: 3 }) }),
);

describe("a board that follows the ledger", () => {
  test("equals one that is loaded, after any steps", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        await using api = await TestApi.start();
        const admin = await api.signedIn("Root", { roles: ["admin"] });
        const players = await Promise.all(["Ada", "Bob", "Eve", "Dan"].map((name) => api.signedIn(name)));
        api.challenges = challenges;
        await api.context.board.refresh();
        for (const one of steps) {
          await run(api, one, { admin, players });
          await api.clock.advance(500);
          await api.context.board.refresh();
        }
        expect(shown(api.context.board)).toEqual(await loaded(api));
      }),
      { numRuns: 25 },
    );
  });
});

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type Browser = Awaited<ReturnType<TestApi["signedIn"]>>;

async function run(api: TestApi, one: Step, { admin, players }: { admin: Browser; players: Browser[] }): Promise<void> {
  const now = api.clock.now();
  const iso = (time: number) => new Date(time).toISOString();
  const { freeze: _, ...unfrozen } = api.rules;
  switch (one.type) {
    case "freeze":
      api.rules = { ...unfrozen, freeze: { start: iso(now + one.inMs) } };
      return;
    case "unfreeze":
      api.rules = unfrozen;
      return;
    case "teams":
      api.rules = { ...api.rules, teams: { enabled: one.enabled } };
      return;
    case "challenges":
      api.challenges = challenges.slice(0, one.count);
      return;
  }
  const who = players[one.player] as Browser;
  const team = (await who.call<CurrentTeam>("GET", "/api/teams/current")).body;
  const scorerId = team.id ?? who.playerId;
  switch (one.type) {
    case "solve":
      await solve(api, { scorerId, playerId: who.playerId, challenge: one.challenge });
      return;
    case "moderate":
      await admin.call("PATCH", `/api/admin/scorers/${scorerId}`, {
        body: { isBanned: one.isBanned, isHidden: one.isHidden },
      });
      return;
    case "award":
      await admin.call("POST", "/api/admin/awards", { body: { scorerId, points: one.points, reason: "test" } });
      return;
    case "rename":
      await who.call("PATCH", "/api/players/current", { body: { name: one.name } });
      await who.call("PATCH", "/api/teams/current", { body: { name: `${one.name}${one.player}` } });
      return;
    case "roles":
      await admin.call("PUT", `/api/admin/players/${who.playerId}/roles`, {
        body: { roles: one.isAdmin ? ["admin"] : [] },
      });
      return;
    case "team":
      if (team.id) await who.call("DELETE", "/api/teams/current");
      else await who.call("POST", "/api/teams/create", { body: { name: `Team ${one.player}` } });
      return;
    case "delete":
      await who.call("DELETE", "/api/players/current");
  }
}

/** As a right flag does it. */
async function solve(
  api: TestApi,
  { scorerId, playerId, challenge }: { scorerId: string; playerId: string; challenge: string },
): Promise<void> {
  const entry = { at: api.clock.now(), kind: "solve" as const, scorer_id: scorerId, player_id: playerId };
  await api.db
    .transaction()
    .execute(async (transaction) => {
      await lockLedger(transaction);
      await appendToLedger(transaction, { ...entry, challenge_name: challenge });
    })
    // A second one of the same scorer.
    .catch(() => {});
}
