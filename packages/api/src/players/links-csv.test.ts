import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { TestApi, withKey } from "../testing/test-api.ts";
import type { Problem } from "../wire.ts";
import { csvField } from "./links-csv.ts";

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.start();
});
afterEach(() => api[Symbol.asyncDispose]());

const path = "/api/admin/players/links";
const all = { playerIds: "all", replacePersonalLinks: true };
const admin = () => api.signedIn("Admin", { roles: ["admin"] });

test.each([
  ["Ada", '"Ada"'],
  ['a"b,c', '"a""b,c"'],
  ["=1+1", `"'=1+1"`],
  ["+1", `"'+1"`],
  ["-1", `"'-1"`],
  ["@SUM(A1)", `"'@SUM(A1)"`],
  ["  =1", `"'  =1"`],
  ["＝1", `"'＝1"`],
  ["a=b", '"a=b"'],
])("%j becomes %s", (text, want) => {
  expect(csvField(text)).toBe(want);
});

describe("a CSV of links", () => {
  test("has a new personal link for each player, without staff and accounts of a provider", async () => {
    const staff = await admin();
    const ada = await api.signedIn("=cmd|'/c calc'!A1");
    const bob = await api.signedIn("Bob");
    await api.signedIn("Elsewhere", { federatedId: "https://id.example.com#1" });
    const { status, text, headers } = await staff.call<string>("POST", path, { body: all });
    expect([status, headers["content-type"], headers["cache-control"]]).toEqual([
      ...[200, "text/csv; charset=utf-8", "no-store"],
    ]);
    expect(headers["content-disposition"]).toBe('attachment; filename="sign-in-links.csv"');
    const [head, ...rows] = text.trimEnd().split("\r\n");
    expect(head).toBe('"name","id","link"');
    expect(rows).toEqual([
      expect.stringMatching(
        `^"'=cmd\\|'/c calc'!A1","${ada.playerId}","http://berg.localhost:8080/sign-in#[\\w-]{43}"$`,
      ),
      expect.stringMatching(`^"Bob","${bob.playerId}",`),
    ]);
    const token = /#([\w-]{43})/.exec(rows[1] ?? "")?.[1] ?? "";
    expect((await api.call("POST", "/api/sign-in", { body: { token } })).status).toBe(204);
    expect((await ada.call("GET", "/api/players/current")).status).toBe(401);
    expect((await staff.call("GET", "/api/players/current")).status).toBe(200);
    expect(api.logged.join()).not.toContain(token);
  });

  test("is given only where it is asked for in these words, and by an admin", async () => {
    const staff = await admin();
    const ada = await api.signedIn("Ada");
    for (const body of [
      { playerIds: "all" },
      { ...all, replacePersonalLinks: false },
      { replacePersonalLinks: true },
    ]) {
      expect((await staff.call<Problem>("POST", path, { body })).status).toBe(400);
    }
    expect((await ada.call("POST", path, { body: all })).status).toBe(403);
    expect((await ada.call("GET", "/api/players/current")).status).toBe(200);
  });

  test("of selected players changes all or none", async () => {
    const staff = await admin();
    const ada = await api.signedIn("Ada");
    const missing = { ...all, playerIds: [ada.playerId, "nobody"] };
    const { status, body } = await staff.call<Problem>("POST", path, { body: missing });
    expect([status, body.field, body.detail]).toEqual([404, "playerIds", expect.stringContaining('"nobody"')]);
    expect((await ada.call("GET", "/api/players/current")).status).toBe(200);
    const { text } = await staff.call("POST", path, { body: { ...all, playerIds: [ada.playerId, ada.playerId] } });
    expect(text.trimEnd().split("\r\n")).toHaveLength(2);
  });

  test("gives an API key no link of its owner", async () => {
    const staff = await admin();
    const headers = withKey(await staff.key("admin"));
    const own = { ...all, playerIds: [staff.playerId] };
    const { status, body } = await api.call<Problem>("POST", path, { body: own, headers });
    expect([status, body.code]).toEqual([400, "api_key_refused"]);
  });

  test("has as many rows as there are players", async () => {
    const staff = await admin();
    const rows = Array.from({ length: 1201 }, (_, index) => ({
      ...{ id: `id-${index}`, name: `P${index}`, federated_id: `local:${index}`, roles: "player", created_at: 0 },
    }));
    for (let start = 0; start < rows.length; start += 400) {
      await api.db
        .insertInto("player")
        .values(rows.slice(start, start + 400))
        .execute();
    }
    const { text } = await staff.call("POST", path, { body: all });
    expect(text.trimEnd().split("\r\n")).toHaveLength(1 + rows.length);
    expect(new Set(text.match(/#[\w-]{43}/g)).size).toBe(rows.length);
  });
});
