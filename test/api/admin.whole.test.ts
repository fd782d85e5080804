/** `berg admin` on a data directory, while `berg up` runs with it and while nothing does. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import type { CurrentPlayer } from "@berg/api/wire";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SignedIn, Site } from "./site.ts";

const main = join(import.meta.dirname, "../../packages/cli/src/main.ts");

interface Output {
  code: number;
  stdout: string;
  stderr: string;
}

async function berg(directory: string, ...args: string[]): Promise<Output> {
  const run = promisify(execFile)(process.execPath, [main, "admin", ...args, "--data-dir", directory]);
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

let site: Site;
beforeAll(async () => {
  site = await Site.start();
});
afterAll(() => site?.[Symbol.asyncDispose]());

const admin = (...args: string[]) => berg(site.directory, ...args);

async function signIn({ stdout }: Output): Promise<SignedIn> {
  const token = new URL(stdout.trim()).hash.slice(1);
  const { status, headers } = await site.call("/api/sign-in", { method: "POST", body: { token } });
  expect(status).toBe(204);
  return new SignedIn(site, String(headers["set-cookie"]).split(";")[0] ?? "");
}

let personal: Output;

describe("while Berg runs", () => {
  test("the socket is for its owner alone", async () => {
    expect((await stat(join(site.directory, "api.sock"))).mode & 0o777).toBe(0o600);
  });

  test("a link for an admin is printed, and nothing else", async () => {
    const output = await admin("link");
    expect([output.code, output.stderr]).toEqual([0, ""]);
    expect(output.stdout).toMatch(new RegExp(`^${site.publicUrl}/sign-in#[\\w-]{43}\n$`));
    const session = await signIn(output);
    expect(await session.player()).toMatchObject({ name: "Admin", roles: ["player", "admin"] });
    expect(site.output).not.toContain(output.stdout.trim());
  });

  test("a change of roles ends sessions at once", async () => {
    personal = await admin("link", "Ada", "--role", "support", "--role", "author", "--personal");
    const ada = await signIn(personal);
    expect((await ada.player()).roles).toEqual(["player", "author", "support"]);
    expect(await admin("roles", "Ada", "author")).toEqual({ code: 0, stdout: "Ada: player, author\n", stderr: "" });
    expect((await ada.call("/api/players/current")).status).toBe(401);
    expect((await (await signIn(personal)).player()).roles).toEqual(["player", "author"]);
  });

  test.each([
    [["roles", "nobody", "admin"], 1, 'there is no account "nobody"'],
    [["roles", "Ada", "root"], 2, '"root" is no role'],
    [["link", "Ada", "--role", "root"], 2, '"root" is no role'],
    [["link", "a\tb"], 1, "control or invisible characters"],
  ])("%j is refused", async (args, code, text) => {
    const output = await admin(...args);
    expect([output.code, output.stdout]).toEqual([code, ""]);
    expect(output.stderr.toLowerCase()).toContain(text.toLowerCase());
  });

  test("an API that does not listen is not worked around", async () => {
    await rm(join(site.directory, "api.sock"));
    const output = await admin("link");
    expect([output.code, output.stdout]).toEqual([1, ""]);
    expect(output.stderr).toContain("takes no commands");
  });
});

describe("while nothing runs", () => {
  test("links and roles are written to the database, and hold after the next start", async () => {
    await site.end("SIGKILL");
    const link = await admin("link", "Grace", "--personal");
    expect([link.code, link.stderr]).toEqual([0, ""]);
    expect(link.stdout.startsWith(`${site.publicUrl}/sign-in#`)).toBe(true);
    expect((await admin("roles", "Ada", "support")).stdout).toBe("Ada: player, support\n");
    await site.up();
    const { body } = await (await signIn(link)).call<CurrentPlayer>("/api/players/current");
    expect(body).toMatchObject({ name: "Grace", roles: ["player"], federatedId: "local:grace" });
    expect((await (await signIn(personal)).player()).roles).toEqual(["player", "support"]);
  });

  test("after a stop in order as well", async () => {
    await site.end("SIGTERM");
    await expect(stat(join(site.directory, "api.sock"))).rejects.toThrow("ENOENT");
    expect((await admin("link")).code).toBe(0);
  });

  test("a directory that is missing, empty or without pages is named", async () => {
    const directory = await mkdtemp(join(tmpdir(), "berg-admin-"));
    try {
      const missing = await berg(join(directory, "none"), "link");
      expect([missing.code, missing.stderr]).toEqual([
        1,
        expect.stringContaining(`there is no data directory ${directory}/none`),
      ]);
      const empty = await berg(directory, "link");
      expect([empty.code, empty.stderr]).toEqual([1, expect.stringContaining(`have never run with ${directory}`)]);
      await expect(stat(join(directory, "store.db"))).rejects.toThrow("ENOENT");
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  test("a path that is too long for a socket works here, and says so while Berg runs", async () => {
    const directory = join(await mkdtemp(join(tmpdir(), "berg-admin-")), "x".repeat(100));
    await mkdir(directory);
    await writeFile(join(directory, "public-url"), "http://berg.localhost:8080\n");
    await writeFile(join(directory, "api.db"), "");
    expect((await berg(directory, "link")).stdout).toContain("http://berg.localhost:8080/sign-in#");
    using store = new DatabaseSync(join(directory, "store.db"));
    store.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; CREATE TABLE objects (id INTEGER)");
    const running = await berg(directory, "link");
    expect([running.code, running.stderr]).toEqual([1, expect.stringContaining("longer than 100 bytes")]);
    await rm(join(directory, ".."), { recursive: true, force: true });
  });
});
