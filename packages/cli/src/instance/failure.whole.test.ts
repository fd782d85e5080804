/** What goes wrong before a cluster answers, and how refusals are put. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StatusError } from "@berg/apimachinery";
import { kubeconfigFor } from "@berg/kube";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { explain, Failure } from "./failure.ts";
import { CommandLine } from "./testing/command-line.ts";

let berg: CommandLine;
beforeAll(async () => {
  berg = new CommandLine(await mkdtemp(join(tmpdir(), "berg-failure-")));
});
afterAll(() => rm(berg.directory, { recursive: true }));

describe("no cluster", { timeout: 60_000 }, () => {
  const nowhere = kubeconfigFor({ name: "x", server: "https://127.0.0.1:1", token: "t" });

  test("the one that berg up keeps in this directory does not run", async () => {
    const directory = join(berg.directory, "project");
    await mkdir(join(directory, ".berg"), { recursive: true });
    await writeFile(join(directory, ".berg", "kubeconfig"), nowhere);
    const { code, stderr } = await berg.list({}, { env: { HOME: berg.directory }, directory });
    expect(stderr).toContain(`cannot reach the cluster of ${directory}/.berg/kubeconfig: `);
    expect(stderr).toContain("127.0.0.1:1");
    expect(stderr).toContain("Is it running? Start it with berg up (npm start).");
    expect(code).toBe(1);
  });

  test("another one cannot be reached", async () => {
    await mkdir(join(berg.directory, ".kube"), { recursive: true });
    await writeFile(join(berg.directory, ".kube", "config"), nowhere);
    const { code, stderr } = await berg.list({}, { env: { HOME: berg.directory } });
    expect(stderr).toContain("cannot reach the cluster of ~/.kube/config: ");
    expect(stderr).toContain("If berg up keeps it, start that again; else name another one with --kubeconfig.");
    expect(code).toBe(1);
  });

  test("none is named, or one that is not there: code 2", async () => {
    const none = await berg.list({}, { env: { HOME: "/nowhere" } });
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining("no kubeconfig is given")]);
    expect(none.stderr).toContain("berg up (npm start) runs Berg on this machine, and writes .berg/kubeconfig");
    const missing = await berg.list({ kubeconfig: "/nowhere/config" });
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("/nowhere/config")]);
    expect(missing.stderr).toContain("and writes .berg/kubeconfig");
  });
});

describe("explain", () => {
  const refusal = (code: number, message: string, details?: object) =>
    new StatusError({
      apiVersion: "v1",
      kind: "Status",
      status: "Failure",
      code,
      message,
      ...(details && { details }),
    });
  const cluster = { source: "here", isLocal: false };

  test.each([
    { error: new Failure("as it is", 2), want: { text: "as it is", exitCode: 2 } },
    {
      error: refusal(404, 'instance "x" not found', { name: "x" }),
      want: { text: 'instance "x" not found', exitCode: 1 },
    },
    { error: refusal(500, "broken \u001b[2J"), want: { text: "broken  [2J", exitCode: 1 } },
    {
      error: refusal(422, 'spec.flag: Invalid value: "flag{secret}"', { name: "x", causes: [{ field: "spec.flag" }] }),
      want: { text: "the server finds it invalid: spec.flag", exitCode: 1 },
    },
    {
      error: refusal(403, 'admission webhook "x" denied the request: flag{secret}'),
      want: { text: expect.not.stringContaining("secret"), exitCode: 1 },
    },
  ])("$want.text", ({ error, want }) => {
    expect(explain(error, cluster)).toEqual(want);
  });
});
