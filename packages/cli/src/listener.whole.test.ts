import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";

const main = join(import.meta.dirname, "main.ts");

async function listener(env: Record<string, string>, ...args: string[]) {
  return promisify(execFile)(process.execPath, [main, "listener", ...args], { env: { HOME: "/nowhere", ...env } }).then(
    (output) => ({ code: 0, ...output }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}

describe("berg listener", () => {
  test("says what it does, and by what it is told otherwise", async () => {
    const { code, stdout } = await listener({}, "--help");
    expect(code).toBe(0);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain("find those that are stuck");
    for (const name of ["CHALLENGE_WATCHER_WORKER_COUNT", "STUCK_POLICY", "DATABASE_URL"])
      expect(stdout).toContain(name);
  });

  test("names every mistake in the environment at once, and ends with code 2", async () => {
    const { code, stdout, stderr } = await listener({
      CHALLENGE_WATCHER_WORKER_COUNT: "0",
      STUCK_POLICY: "shout",
      STUCK_ERROR_AFTER: "soon",
      DATABASE_URL: "mysql://berg:s3cret@db/berg",
      HEALTH_PORT: "eighty",
    });
    expect(stderr.split("\n")).toEqual([
      'cannot read CHALLENGE_WATCHER_WORKER_COUNT: "0" is not a whole number from 1 to 1000',
      'cannot read STUCK_POLICY: "shout" is none of report, restart, terminate',
      'cannot read STUCK_ERROR_AFTER: "soon" is not a time such as 90s, 30m or 1h30m',
      expect.stringMatching(/^cannot read DATABASE_URL: cannot use a database of the kind "mysql"/),
      'cannot read HEALTH_PORT: "eighty" is not a port (1-65535, or 0 for any that is free)',
      "",
    ]);
    expect(stderr).not.toContain("s3cret");
    expect([code, stdout]).toEqual([2, ""]);
  });

  test("says in its log what keeps it from starting", async () => {
    const { code, stdout } = await listener({ STUCK_POLICY: "" }, "--kubeconfig", "/nowhere/config");
    expect(JSON.parse(stdout)).toMatchObject({ level: "error", error: expect.stringContaining("/nowhere/config") });
    expect(code).toBe(2);
  });
});
