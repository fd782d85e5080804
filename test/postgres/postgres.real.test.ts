import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { isRunning } from "../control-plane/process-state.ts";
import { missingPostgres } from "./missing.ts";
import { startPostgres } from "./postgres.ts";

const module = fileURLToPath(new URL("./postgres.ts", import.meta.url));

describe.skipIf(missingPostgres())("a PostgreSQL for tests", () => {
  test("keeps its data when it is stopped or killed, and leaves nothing behind", async () => {
    const postgres = await startPostgres();
    const directory = dirname(postgres.logFile);
    await postgres.newDatabase("kept");
    await postgres.query("kept", "create table notes as select 'first' as text");
    await postgres.stop();
    await postgres.start();
    await postgres.query("kept", "insert into notes values ('second')");
    await postgres.kill();
    await postgres.start();
    expect(await postgres.query("kept", "select text from notes")).toBe("first\nsecond");
    await postgres[Symbol.asyncDispose]();
    expect([postgres.pid, existsSync(directory)]).toEqual([undefined, false]);
  });

  test("asks for the password", async () => {
    await using postgres = await startPostgres();
    const url = postgres.url("postgres").replace(postgres.password, "guessed");
    await expect(postgres.query("postgres", "select 1")).resolves.toBe("1");
    Object.defineProperty(postgres, "url", { value: () => url });
    await expect(postgres.query("postgres", "select 1")).rejects.toThrow("password authentication failed");
  });

  test("ends with the process that started it, though that is killed", async () => {
    const script = `
      const { startPostgres } = await import(${JSON.stringify(module)});
      const { pid, logFile } = await startPostgres();
      console.log(JSON.stringify({ pid, logFile }));
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const lines = createInterface({ input: child.stdout });
    const line = await new Promise<string>((resolve) => lines.once("line", resolve));
    const { pid, logFile } = JSON.parse(line) as { pid: number; logFile: string };
    expect(isRunning(pid)).toBe(true);
    child.kill("SIGKILL");
    await expect.poll(() => isRunning(pid) || existsSync(dirname(logFile)), { timeout: 20_000 }).toBe(false);
  });
});
