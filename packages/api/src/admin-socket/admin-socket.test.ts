import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger } from "@berg/kube";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { publicUrl, TestApi } from "../testing/test-api.ts";
import type { CurrentPlayer } from "../wire.ts";
import { askRunningApi } from "./client.ts";
import type { AdminCommand } from "./commands.ts";
import { startAdminSocket } from "./server.ts";

let api: TestApi;
let directory: string;
let path: string;
let socket: AsyncDisposable;
beforeEach(async () => {
  api = await TestApi.start();
  directory = await mkdtemp(join(tmpdir(), "berg-socket-"));
  path = join(directory, "api.sock");
  // As a process leaves it that was killed.
  await writeFile(path, "");
  const { db, clock, replicas, log } = api.context;
  socket = await startAdminSocket(path, { db, clock, replicas, publicUrl }, log);
});
afterEach(async () => {
  await socket[Symbol.asyncDispose]();
  await api[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

const ask = (command: AdminCommand) => askRunningApi(path, command);
const link = (name: string, more: Partial<AdminCommand> = {}) =>
  ask({ command: "link", name, roles: [], kind: "one-time", ...more } as AdminCommand);
async function signIn(output: string | undefined): Promise<CurrentPlayer> {
  const token = new URL(output ?? "").hash.slice(1);
  const { cookie } = await api.call("POST", "/api/sign-in", { body: { token } });
  return (await api.call<CurrentPlayer>("GET", "/api/players/current", { headers: { cookie } })).body;
}

describe("the admin socket", () => {
  test("is for its owner alone", async () => {
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test("creates an account once, and gives it roles that it lacks", async () => {
    const admin = await signIn((await link("Ada", { roles: ["admin"] }))?.output);
    expect(admin).toMatchObject({ name: "Ada", federatedId: "local:ada", roles: ["player", "admin"] });
    expect((await signIn((await link("ada"))?.output)).id).toBe(admin.id);
    const { roles } = await signIn((await link("Ada", { roles: ["support"] }))?.output);
    expect(roles).toEqual(["player", "support", "admin"]);
  });

  test("does not make somebody an admin who chose that name", async () => {
    const eve = await api.signedIn("Admin");
    const admin = await signIn((await link("Admin", { roles: ["admin"] }))?.output);
    expect(admin.id).not.toBe(eve.playerId);
    const grace = await api.signedIn("Grace");
    await expect(link("Grace")).rejects.toThrow(`Name one by its id: ${grace.playerId}.`);
    expect((await signIn((await link(grace.playerId))?.output)).id).toBe(grace.playerId);
  });

  test("sets roles, which ends sessions", async () => {
    const ada = await api.signedIn("Ada");
    const answer = await ask({ command: "roles", name: ada.playerId, roles: ["author"] });
    expect(answer).toEqual({ output: "Ada: player, author" });
    expect((await ada.call("GET", "/api/players/current")).status).toBe(401);
    await expect(ask({ command: "roles", name: "nobody", roles: [] })).rejects.toThrow('no account "nobody"');
  });

  test("refuses what it does not know, and says so", async () => {
    await expect(ask({ command: "dance" } as never)).rejects.toThrow("older than the command line");
    await expect(link("a\u0000b")).rejects.toThrow("control or invisible characters");
    await expect(link("Ada", { roles: ["root"] as never })).rejects.toThrow("expected one of");
    expect(await api.db.selectFrom("player").selectAll().execute()).toEqual([]);
  });

  test("logs no link", async () => {
    const answer = await link("Ada");
    expect(api.logged.join()).not.toContain(new URL(answer?.output ?? "").hash.slice(1));
  });
});

test("nothing answers where nothing listens", async () => {
  await socket[Symbol.asyncDispose]();
  expect(await link("Ada")).toBeUndefined();
  await writeFile(path, "");
  expect(await link("Ada")).toBeUndefined();
});

test("a path that is too long is warned of, and Berg starts without it", async () => {
  const warnings: unknown[] = [];
  const log = { ...silentLogger, warn: (fields: unknown) => void warnings.push(fields) };
  const { db, clock, replicas } = api.context;
  await using _ = await startAdminSocket(join(directory, "x".repeat(100)), { db, clock, replicas, publicUrl }, log);
  expect(warnings).toHaveLength(1);
});
