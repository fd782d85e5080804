import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";

const main = join(import.meta.dirname, "main.ts");

async function clusters(env: Record<string, string>, ...args: string[]) {
  return promisify(execFile)(process.execPath, [main, "clusters", ...args], { env: { HOME: "/nowhere", ...env } }).then(
    (output) => ({ code: 0, ...output }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}

describe("berg clusters", () => {
  test("says what it does, and by what it is told otherwise", async () => {
    const { code, stdout } = await clusters({}, "--help");
    expect(code).toBe(0);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain("narrow, short-lived access");
    for (const name of ["GARDEN_KUBECONFIG", "--garden-kubeconfig", "GARDEN_PROJECT", "BYOC_ALLOW_CIDRS"])
      expect(stdout).toContain(name);
  });

  test("names every mistake in the environment at once, and ends with code 2", async () => {
    const { code, stdout, stderr } = await clusters({
      GARDEN_KUBECONFIG: " ",
      POOL_KIND: "Secret",
      LOG_LEVEL: "loud",
      NODE_OPTIONS: "--heapsnapshot-near-heap-limit=1",
    });
    expect(stderr.split("\n")).toEqual([
      "cannot read GARDEN_KUBECONFIG: it is not set: name the file with Gardener's kubeconfig",
      "cannot read GARDEN_PROJECT: it is not set: give the name of the project in Gardener",
      'cannot read POOL_KIND: "Secret" is none of CredentialsBinding, SecretBinding',
      'cannot read LOG_LEVEL: "loud" is none of debug, info, warn, error',
      "cannot run with --heapsnapshot-near-heap-limit: memory holds credentials of administrators. Leave it out",
      "",
    ]);
    expect([code, stdout]).toEqual([2, ""]);
  });

  test.each(["kubeconfig", "garden-kubeconfig"])(
    "says in its log that the file of --%s is not there",
    async (option) => {
      const there = join(import.meta.dirname, "testing/kubeconfig.yaml");
      const files = { kubeconfig: there, "garden-kubeconfig": there, [option]: "/nowhere/config" };
      const args = Object.entries(files).flatMap(([name, file]) => [`--${name}`, file]);
      const { code, stdout } = await clusters({ GARDEN_PROJECT: "ctf", HEALTH_PORT: "0", METRICS_PORT: "0" }, ...args);
      expect(JSON.parse(stdout)).toMatchObject({ level: "error", error: expect.stringContaining("/nowhere/config") });
      expect(code).toBe(2);
    },
  );
});
