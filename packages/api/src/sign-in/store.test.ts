import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TestApi } from "../testing/test-api.ts";
import type { Problem } from "../wire.ts";
import { consumeLink, createLink, findLink } from "./store.ts";

let api: TestApi;
let playerId: string;
beforeEach(async () => {
  api = await TestApi.start();
  ({ playerId } = await api.signedIn("Ada"));
});
afterEach(() => api[Symbol.asyncDispose]());

describe("a one-time link", () => {
  test("is used once", async () => {
    const token = await createLink(api.db, playerId, "one-time", 0);
    expect((await findLink(api.db, token, 1))?.id).toBe(playerId);
    expect(await consumeLink(api.db, token, 1)).toBe(true);
    expect(await consumeLink(api.db, token, 2)).toBe(false);
    expect(await findLink(api.db, token, 2)).toBeUndefined();
  });

  test("signs in one of those who use it at the same time", async () => {
    const token = await createLink(api.db, playerId, "one-time", api.clock.now());
    const signIn = () => api.call<Problem>("POST", "/api/sign-in", { body: { token } });
    const answers = await Promise.all(Array.from({ length: 5 }, signIn));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 403, 403, 403, 403]);
    for (const { text } of answers) expect(text).not.toContain(token);
  });

  test("lasts 15 minutes, and ends an earlier one only", async () => {
    const personal = await createLink(api.db, playerId, "personal", 0);
    const first = await createLink(api.db, playerId, "one-time", 0);
    const second = await createLink(api.db, playerId, "one-time", 0);
    expect(await findLink(api.db, first, 1)).toBeUndefined();
    expect(await findLink(api.db, second, 15 * 60_000 - 1)).toBeDefined();
    expect(await findLink(api.db, second, 15 * 60_000)).toBeUndefined();
    expect(await findLink(api.db, personal, 1e13)).toBeDefined();
  });
});

test("a personal link is used again and again, until there is another", async () => {
  const token = await createLink(api.db, playerId, "personal", 0);
  expect([await consumeLink(api.db, token, 1), await consumeLink(api.db, token, 2)]).toEqual([true, true]);
  await createLink(api.db, playerId, "personal", 3);
  expect([await findLink(api.db, token, 4), await consumeLink(api.db, token, 4)]).toEqual([undefined, false]);
});

test("a sign-in needs our Origin, whatever else it sends", async () => {
  const token = await createLink(api.db, playerId, "personal", 0);
  for (const headers of [{ origin: undefined }, { origin: "https://evil.example", authorization: "Bearer x" }]) {
    const answer = await api.call<Problem>("POST", "/api/sign-in", { body: { token }, headers });
    expect([answer.status, answer.body.code, answer.cookie]).toEqual([403, "origin_refused", undefined]);
  }
});
