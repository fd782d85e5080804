/** `berg janitor` as a process: arguments, output, exit codes. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { kubeconfigFor, Namespaces } from "@berg/kube";
import { startLocalControlPlane } from "@berg/local-control-plane";
import { ChallengeInstances } from "@berg/resources";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Place } from "../../healing/src/janitor/testing/place.ts";

const main = join(import.meta.dirname, "main.ts");
const stack = new AsyncDisposableStack();

function janitor(env: Record<string, string>, ...args: string[]) {
  const child = spawn(process.execPath, [main, "janitor", ...args], { env: { HOME: "/nowhere", ...env } });
  stack.defer(() => void child.kill("SIGKILL"));
  const said = { stdout: "", stderr: "" };
  child.stdout.on("data", (text) => (said.stdout += text));
  child.stderr.on("data", (text) => (said.stderr += text));
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, ...said }));
  return { child, said, ended };
}

describe("berg janitor", { timeout: 60_000 }, () => {
  let place: Place;
  let KUBECONFIG: string;
  const stopPlane = () => place[Symbol.asyncDispose]();

  beforeAll(async () => {
    place = await Place.on(async () => {
      const controlPlane = await startLocalControlPlane({ dataDir: ":memory:" });
      return { connection: controlPlane.apiServer.connection, stop: () => controlPlane.stop() };
    });
    const directory = await mkdtemp(join(tmpdir(), "berg-janitor-"));
    stack.defer(() => rm(directory, { recursive: true }));
    KUBECONFIG = join(directory, "kubeconfig");
    const { ca } = await place.connection.tls();
    const token = (await place.connection.authorization())?.replace("Bearer ", "") ?? "none";
    const text = kubeconfigFor({
      name: "test",
      server: place.connection.server,
      token,
      ...(ca !== undefined && { ca }),
    });
    await writeFile(KUBECONFIG, text, { mode: 0o600 });
  }, 60_000);
  afterAll(() => stack.disposeAsync());

  test("names every mistake at once, and ends with code 2", async () => {
    const env = { JANITOR_GRACE: "soon", GHOST_GRACE: "-1s", HEALTH_PORT: "65536" };
    const { code, stdout, stderr } = await janitor(env, "--interval", "often", "--force").ended;
    expect(stderr.split("\n")).toEqual([
      'cannot read JANITOR_GRACE: "soon" is not a time such as 90s, 30m or 1h30m',
      'cannot read GHOST_GRACE: "-1s" is not a time such as 90s, 30m or 1h30m',
      'cannot read HEALTH_PORT: "65536" is not a port (1-65535, or 0 for any that is free)',
      'cannot use --interval: "often" is not a time from 1s to 24h, such as 30s',
      "--force needs --once: somebody has to look at what it removes",
      "",
    ]);
    expect([code, stdout]).toEqual([2, ""]);
  });

  test("says which kubeconfig it cannot read", async () => {
    const { code, stderr } = await janitor({}, "--once", "--kubeconfig", "/nowhere/config").ended;
    expect(stderr).toMatch(/^error: .*\/nowhere\/config/);
    expect(code).toBe(2);
  });

  test("--once with nothing to do says so", async () => {
    const { code, stdout, stderr } = await janitor({ KUBECONFIG }, "--once").ended;
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toBe("Nothing to do: no instance is past its time, and every namespace of ours has its instance.\n");
  });

  test("--dry-run tells, --once does, in a table", async () => {
    const { instance, namespace } = await place.running(-5000);
    const dry = await janitor({ KUBECONFIG }, "--dry-run").ended;
    expect(dry.stdout).toMatch(
      /^KIND +NAME +DID +WHY\nChallengeInstance +berg\/owner-\S+ +would delete +its time was up/,
    );
    expect([dry.code, await place.stands(namespace)]).toEqual([0, true]);
    const { code, stdout } = await janitor({ KUBECONFIG }, "--once").ended;
    expect(stdout).toMatch(new RegExp(`^Namespace +${namespace} +deleted +its time was up at \\S+$`, "m"));
    expect(stdout).not.toContain("flag{");
    expect(code).toBe(0);
    const { metadata } = await place.client.get(ChallengeInstances, "berg", instance.metadata.name);
    expect(metadata.deletionTimestamp).toBeDefined();
    await expect.poll(() => place.exists(Namespaces, "", namespace)).toBe(false);
  });

  test("goes by the time of the server where the machine is ten minutes ahead, and says so", async () => {
    const ahead = "const { now } = Date; Date.now = () => now() + 600_000";
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(ahead)}`;
    const lives = await place.running(300_000);
    const once = await janitor({ KUBECONFIG, NODE_OPTIONS }, "--once").ended;
    expect(once).toMatchObject({ code: 0, stdout: expect.stringContaining("Nothing to do") });

    const { child, said, ended } = janitor({ KUBECONFIG, NODE_OPTIONS, HEALTH_PORT: "0", METRICS_PORT: "0" });
    const due = await place.running(-5000);
    await expect.poll(() => place.exists(Namespaces, "", due.namespace), { timeout: 30_000 }).toBe(false);
    expect(await place.stands(lives.namespace)).toBe(true);
    expect(said.stdout).toMatch(/"level":"warn".*"aheadSeconds":60\d,"msg":"our clock is not the API server's/);
    child.kill("SIGTERM");
    expect((await ended).code).toBe(0);
  });

  test("stays until it is told to stop, and ends what expires meanwhile", async () => {
    const env = { KUBECONFIG, HEALTH_PORT: "0", METRICS_PORT: "0", JANITOR_GRACE: "0s" };
    const { child, said, ended } = janitor(env);
    await vi.waitFor(() => expect(said.stdout).toContain("caches are filled"), { timeout: 30_000 });
    const { namespace } = await place.running(500);
    await expect.poll(() => place.exists(Namespaces, "", namespace), { timeout: 30_000 }).toBe(false);
    expect(said.stdout).toContain(`"kind":"Namespace","name":"${namespace}"`);
    child.kill("SIGTERM");
    expect((await ended).code).toBe(0);
  });

  // Last: the server goes.
  test("a server that is gone is told of, with code 1", async () => {
    await stopPlane();
    const { code, stdout, stderr } = await janitor({ KUBECONFIG }, "--once").ended;
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/^error: nothing can be swept that cannot be read: /);
  });
});
