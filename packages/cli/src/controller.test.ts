import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";

const main = join(import.meta.dirname, "main.ts");

async function controller(env: Record<string, string>, ...args: string[]) {
  return promisify(execFile)(process.execPath, [main, "controller", ...args], {
    env: { HOME: "/nowhere", ...env },
  }).then(
    (output) => ({ code: 0, ...output }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}

describe("berg controller", () => {
  test("names every mistake in the environment at once, and ends with code 2", async () => {
    const env = { CHALLENGE_HTTP_PORT: "eighty", HEALTH_PORT: "65536", METRICS_PORT: "-1", LOG_LEVEL: "loud" };
    const { code, stdout, stderr } = await controller(env);
    expect(stderr.split("\n")).toEqual([
      'cannot read CHALLENGE_HTTP_PORT: "eighty" is not a port (1-65535)',
      'cannot read HEALTH_PORT: "65536" is not a port (1-65535, or 0 for any that is free)',
      'cannot read METRICS_PORT: "-1" is not a port (1-65535, or 0 for any that is free)',
      'cannot read LOG_LEVEL: "loud" is none of debug, info, warn, error',
      "",
    ]);
    expect([code, stdout]).toEqual([2, ""]);
  });

  test("takes an empty variable for a missing one, and says in its log what keeps it from starting", async () => {
    const { code, stdout } = await controller({ LOG_LEVEL: "", HEALTH_PORT: " " }, "--kubeconfig", "/nowhere/config");
    const [line = "", ...more] = stdout.trim().split("\n");
    expect(JSON.parse(line)).toMatchObject({
      level: "error",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      msg: "exiting",
      error: expect.stringContaining("/nowhere/config"),
    });
    expect([code, more]).toEqual([2, []]);
  });
});
