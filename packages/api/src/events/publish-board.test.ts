import { afterEach, beforeEach, expect, test } from "vitest";
import { appendToLedger, lockLedger } from "../ledger/store.ts";
import { type Browser, type Followed, TestApi } from "../testing/test-api.ts";

let api: TestApi;
let [ada, eve, admin] = [] as unknown as [Browser, Browser, Browser];
beforeEach(async () => {
  api = await TestApi.start();
  api.challenges = ["a", "b"].map((name) => ({ metadata: { namespace: "berg", name }, spec: {} }) as never);
  [ada, eve] = [await api.signedIn("Ada"), await api.signedIn("Eve")];
  admin = await api.signedIn("Root", { roles: ["admin"] });
  await api.context.board.refresh();
});
afterEach(() => api[Symbol.asyncDispose]());

/** As a right flag does it. */
async function solve({ playerId }: Browser, challenge: string): Promise<void> {
  await api.db.transaction().execute(async (transaction) => {
    await lockLedger(transaction);
    const entry = { at: api.clock.now(), kind: "solve" as const, scorer_id: playerId, player_id: playerId };
    await appendToLedger(transaction, { ...entry, challenge_name: challenge });
  });
  await api.context.board.refresh();
}

const identified = async (socket: Promise<Followed>) => {
  const followed = await socket;
  await expect.poll(() => followed.messages.length).toBeGreaterThan(1);
  return followed;
};
const heard = ({ messages }: Followed) =>
  messages.flatMap((one) => (one.type === "solve" ? [one.message.challengeName] : []));
const versions = ({ messages }: Followed) =>
  messages.flatMap((one) => (one.type === "scoreboard" ? [one.message.version] : []));
/** Polls until it is so, and once more: a message too many would come a second later. */
async function settle(read: () => unknown, expected: unknown): Promise<void> {
  const next = async () => {
    await api.clock.advance(1_000);
    return read();
  };
  await expect.poll(next).toEqual(expected);
  expect(await next()).toEqual(expected);
}

test("a solve is sent once to each socket that was open; during the freeze to the scorer and admins only", async () => {
  const early = await api.socket();
  const sockets = [await identified(ada.socket()), await identified(eve.socket()), await identified(admin.socket())];
  await solve(ada, "a");
  const late = await api.socket();
  const all = () => [early, ...sockets, late].map(heard);
  await settle(all, [["a"], ["a"], ["a"], ["a"], []]);
  api.rules = { ...api.rules, freeze: { start: new Date(api.clock.now()).toISOString() } };
  await api.context.board.refresh();
  await solve(ada, "b");
  await settle(all, [["a"], ["a", "b"], ["a"], ["a", "b"], []]);
});

test("solves of admins are sent to admins; those of a hidden board to nobody else but the scorer", async () => {
  const sockets = [await api.socket(), await identified(ada.socket()), await identified(admin.socket())];
  await solve(admin, "a");
  const all = () => sockets.map(heard);
  await settle(all, [[], [], ["a"]]);
  api.rules = { ...api.rules, visibility: { ...api.rules.visibility, board: "hidden" } };
  await solve(ada, "b");
  await settle(all, [[], ["b"], ["a", "b"]]);
});

test("subscribed sockets hear of each version of the scoreboard once, and of none that the freeze hides", async () => {
  const followed = await api.socket();
  followed.socket.send(JSON.stringify({ type: "subscribe", message: { since: null } }));
  const version = () => api.context.board.model.public.version;
  const first = version();
  await settle(() => versions(followed), [first]);
  await solve(ada, "a");
  expect(version()).not.toBe(first);
  const second = version();
  await settle(() => versions(followed), [first, second]);
  api.rules = { ...api.rules, freeze: { start: new Date(api.clock.now()).toISOString() } };
  await api.context.board.refresh();
  const frozen = version();
  await settle(() => versions(followed), [first, second, frozen]);
  await solve(ada, "b");
  await settle(() => versions(followed), [first, second, frozen]);
});
