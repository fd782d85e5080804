import { afterEach, beforeEach, expect, test } from "vitest";
import { TestApi } from "../testing/test-api.ts";
import type { Announcement, AuditLog, Problem } from "../wire.ts";

let api: TestApi;
beforeEach(async () => {
  api = await TestApi.start();
});
afterEach(() => api[Symbol.asyncDispose]());

const list = async () => (await api.call<Announcement[]>("GET", "/api/announcements")).body;

test("an announcement reaches everybody, safe, until it is withdrawn; both are audited", async () => {
  const admin = await api.signedIn("Root", { roles: ["admin"] });
  const { messages } = await api.socket();
  const body = { title: "Lunch", content: "**Now** <script>alert(1)</script>" };
  const created = await admin.call<Announcement>("POST", "/api/admin/announcements", { body });
  expect(created.status).toBe(201);
  expect(created.body).toMatchObject({ title: "Lunch", content: "<p><strong>Now</strong> </p>\n" });
  expect(await list()).toEqual([created.body]);
  const heard = async () => {
    await api.clock.advance(1_000);
    return messages.at(-1);
  };
  await expect.poll(heard).toEqual({ type: "announcement", message: created.body });
  const path = `/api/admin/announcements/${created.body.id}`;
  expect((await admin.call("DELETE", path)).status).toBe(204);
  expect((await admin.call("DELETE", path)).status).toBe(404);
  expect(await list()).toEqual([]);
  await expect.poll(heard).toEqual({ type: "announcement-delete", message: created.body.id });
  const { body: audit } = await admin.call<AuditLog>("GET", "/api/admin/audit");
  expect(audit.items).toMatchObject([
    { action: "announcement.delete", actorName: "Root", target: created.body.id, before: body, after: null },
    { action: "announcement.create", before: null, after: body },
  ]);
});

test("only admins announce, withdraw and read the audit log", async () => {
  const player = await api.signedIn("Ada", { roles: ["support", "author"] });
  const body = { title: "x" };
  for (const answer of [
    await player.call<Problem>("POST", "/api/admin/announcements", { body }),
    await player.call<Problem>("DELETE", "/api/admin/announcements/x"),
    await player.call<Problem>("GET", "/api/admin/audit"),
  ]) {
    expect([answer.status, answer.body.code]).toEqual([403, "role_required"]);
  }
  expect(await list()).toEqual([]);
});

test.each([
  { title: "" },
  { title: "x".repeat(129) },
  { title: "a\u202eb" },
  { title: "x", content: "y".repeat(20_000) },
])("%j is refused", async (body) => {
  const admin = await api.signedIn("Root", { roles: ["admin"] });
  expect((await admin.call("POST", "/api/admin/announcements", { body })).status).toBe(400);
});
