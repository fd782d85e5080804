import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, test } from "vitest";

/** Runs one, sends it signals one by one after it is ready, each when the one before was answered, and tells its end. */
async function run(course: string, ...signals: NodeJS.Signals[]) {
  const child = spawn(process.execPath, [join(import.meta.dirname, "testing/short-lived.ts"), course], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(child, "exit");
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    lines.push(line);
    const next = signals.shift();
    if (next) child.kill(next);
  }
  const [code] = await exit;
  return { code, said: lines.map((line) => JSON.parse(line)).filter(({ message }) => message !== "ready"), lines };
}

describe("a process", () => {
  test.each(["SIGTERM", "SIGINT"] as const)("stops in order on %s, with code 0", async (signal) => {
    const { code, said } = await run("stops", signal);
    expect(said).toEqual([{ message: "stopping", signal }, { message: `in order: told to stop by ${signal}` }]);
    expect(code).toBe(0);
  });

  test("ends at once on a second signal, with code 1", async () => {
    const { code, said } = await run("hangs", "SIGTERM", "SIGINT");
    expect(said).toEqual([{ message: "stopping", signal: "SIGTERM" }]);
    expect(code).toBe(1);
  });

  test("ends with its work, with code 0", async () => {
    expect(await run("ends")).toMatchObject({ code: 0, said: [] });
  });

  test("ends with code 1 and says why where its work fails", async () => {
    const { code, said } = await run("fails");
    expect(said).toEqual([{ message: "exiting", error: "the caches of pods are not filled" }]);
    expect(code).toBe(1);
  });

  test("ends with code 2 where its configuration is wrong, so that whoever runs it can tell", async () => {
    const { code, said } = await run("misconfigured");
    expect(said).toEqual([{ message: "exiting", error: 'cannot read HEALTH_PORT: "eighty" is not a port (1-65535)' }]);
    expect(code).toBe(2);
  });

  test.each([
    ["rejects", "Error"],
    ["throws", "SyntaxError"],
    ["rejectsWithText", "a string was thrown"],
  ])(
    "ends with code 1 where something %s and nobody catches it, and says where but not what",
    async (course, wantError) => {
      const { code, said, lines } = await run(course);
      expect(said).toMatchObject([{ message: "broken: exiting", error: wantError }]);
      if (course !== "rejectsWithText") expect(said[0].stack).toContain("short-lived.ts");
      expect(lines.join()).not.toContain("secret");
      expect(code).toBe(1);
    },
  );
});
