/** Lists in pages, and lists of a moment: which questions are allowed, and what is said when the moment is over. */
import { beforeEach, expect, test } from "vitest";
import type { Given } from "./given.ts";
import { said } from "./wire.ts";

const items = ["a", "b", "c", "d", "e"];

export function paging(given: Given): void {
  const maps = () => `/api/v1/namespaces/${given.namespace}/configmaps`;
  beforeEach(async () => {
    for (const name of items) await make(name);
  });
  const make = (name: string) => given.ask("POST", maps(), { body: { metadata: { name, labels: { ours: "yes" } } } });
  const list = (query: string) =>
    given.ask("GET", `${maps()}?fieldSelector=metadata.name!%3Dkube-root-ca.crt&${query}`);
  const plain = (query: string) => given.ask("GET", `${maps()}?${query}`);
  const names = (body: { items: { metadata: { name: string } }[] }) => body.items.map(({ metadata }) => metadata.name);

  test("pages go on where the last ended, and all show the moment of the first", async () => {
    const first = (await list("limit=2")).body;
    await make("bb");
    await given.ask("DELETE", `${maps()}/d`);
    const second = (await list(`limit=2&continue=${first.metadata.continue}`)).body;
    const third = (await list(`limit=2&continue=${second.metadata.continue}`)).body;
    expect([first, second, third].map(names)).toEqual([["a", "b"], ["c", "d"], ["e"]]);
    expect(second.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    expect(third.metadata.continue ?? "").toBe("");
    expect(names((await list("")).body)).toEqual(["a", "b", "bb", "c", "e"]);
  });

  test("how many are left is told, but not where a selector decides", async () => {
    // The namespace's root certificates may be there by now, or not.
    const { metadata, items: shown } = (await plain("limit=2")).body;
    expect(shown).toHaveLength(2);
    expect(metadata.remainingItemCount).toBeGreaterThanOrEqual(3);
    expect((await plain("limit=2&labelSelector=ours")).body.metadata.remainingItemCount).toBeUndefined();
    expect((await plain("limit=50")).body.metadata).toEqual({ resourceVersion: expect.any(String) });
  });

  test.each([
    ["a token that is none", "limit=2&continue=rubbish", 400, "continue key is not valid"],
    ["a limit that is no number", "limit=two", 400, "invalid syntax"],
    [
      "a version that is none",
      "resourceVersion=x&resourceVersionMatch=NotOlderThan",
      400,
      "invalid resource version: resourceVersion: Invalid value",
    ],
  ])("%s", async (_, query, code, text) => {
    const answer = await plain(query);
    expect(answer.code).toBe(code);
    expect(answer.body.message).toContain(text);
  });

  test.each([
    ["resourceVersionMatch=Exact", "resourceVersionMatch is forbidden unless resourceVersion is provided"],
    [
      "resourceVersion=0&resourceVersionMatch=Exact",
      'resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    ],
    ["resourceVersion=1&resourceVersionMatch=Newest", 'supported values: "Exact", "NotOlderThan"'],
    ["sendInitialEvents=true", "sendInitialEvents is forbidden for list"],
  ])("a list may not ask %s", async (query, text) => {
    const answer = await plain(query);
    expect(said(answer)).toMatchObject({ code: 422, reason: "Invalid" });
    expect(answer.body.message).toContain(text);
  });

  test("a token goes with no version", async () => {
    const { metadata } = (await plain("limit=2")).body;
    const together = await plain(`continue=${metadata.continue}&resourceVersion=${metadata.resourceVersion}`);
    expect(said(together)).toMatchObject({
      code: 400,
      reason: "BadRequest",
      message: "specifying resource version is not allowed when using continue",
    });
    const matching = await plain(`continue=${metadata.continue}&resourceVersionMatch=Exact`);
    expect(said(matching).code).toBe(422);
  });

  test("exactly a version shows that moment, in pages too", async () => {
    const { resourceVersion } = (await list("")).body.metadata;
    await make("f");
    const exact = `resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`;
    const whole = (await list(exact)).body;
    expect(names(whole)).toEqual(items);
    expect(whole.metadata.resourceVersion).toBe(resourceVersion);
    const first = (await list(`${exact}&limit=3`)).body;
    const rest = (await list(`limit=3&continue=${first.metadata.continue}`)).body;
    expect([...names(first), ...names(rest)]).toEqual(items);
  });

  test("not older than a version is at least that", async () => {
    const { resourceVersion } = (await make("f")).body.metadata;
    const { body } = await list(`resourceVersion=${resourceVersion}&resourceVersionMatch=NotOlderThan`);
    expect(names(body)).toContain("f");
    expect(BigInt(body.metadata.resourceVersion)).toBeGreaterThanOrEqual(BigInt(resourceVersion));
    expect(names((await list(`resourceVersion=${resourceVersion}`)).body)).toContain("f");
  });

  test("one object of a version that is to come", async () => {
    const answer = await given.ask("GET", `${maps()}/a?resourceVersion=9000000000000000`);
    expect(said(answer)).toMatchObject({ code: 504, reason: "Timeout", causes: [": ResourceVersionTooLarge"] });
    expect(answer.body.message).toMatch(/^Timeout: Too large resource version: 9000000000000000, current: \d+$/);
    expect(answer.headers["retry-after"]).toBe("1");
  });

  test("a selector that is none", async () => {
    for (const query of ["labelSelector=a%3D%3D%3Db", "labelSelector=a+in+b", "fieldSelector=metadata.name"]) {
      expect(said(await plain(query)), query).toMatchObject({ code: 400, reason: "BadRequest" });
    }
  });
}
