import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { missingControlPlane } from "./binaries.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { isRunning } from "./process-state.ts";

const bare = { controllerManager: false, scheduler: false };

function pidsOf({ etcd, apiServer, controllerManager, scheduler }: ControlPlane): number[] {
  return [etcd, apiServer, controllerManager, scheduler].flatMap((component) => component?.pid ?? []);
}

describe.skipIf(await missingControlPlane())("the end of a control plane", () => {
  let parentDirectory: string;
  beforeEach(async () => {
    parentDirectory = await mkdtemp(join(tmpdir(), "berg-ending-"));
  });
  afterEach(() => rm(parentDirectory, { recursive: true }));

  test("two run at once and know nothing of each other; stop leaves no process and no directory", async () => {
    await using one = await startControlPlane({ parentDirectory });
    await using other = await startControlPlane({ parentDirectory, ...bare });
    const pids = [...pidsOf(one), ...pidsOf(other)];
    expect(pids.map(isRunning)).toEqual(Array(6).fill(true));

    expect(one.server).not.toBe(other.server);
    await one.kubectl(["create", "namespace", "mine"]);
    await expect(other.kubectl(["get", "namespace", "mine"])).rejects.toThrow("NotFound");

    await one.stop();
    expect(await other.kubectl(["get", "namespaces", "--output=name"])).toContain("namespace/default");
    await other.stop();
    expect(pids.map(isRunning)).toEqual(Array(6).fill(false));
    expect(await readdir(parentDirectory)).toEqual([]);
    await one.stop();
  });

  test("BERG_KEEP_CONTROL_PLANE keeps its logs", async () => {
    vi.stubEnv("BERG_KEEP_CONTROL_PLANE", "1");
    const controlPlane = await startControlPlane({ parentDirectory, ...bare });
    await controlPlane.stop();
    vi.unstubAllEnvs();
    expect(existsSync(controlPlane.apiServer.logFile)).toBe(true);
  });

  test("one that cannot start says why and leaves nothing", async () => {
    const starting = startControlPlane({ parentDirectory, controllerManagerFlags: ["--no-such-flag"] });
    await expect(starting).rejects.toThrow(
      /cannot start kube-controller-manager: it ended with code 1\n.*unknown flag/s,
    );
    expect(await readdir(parentDirectory)).toEqual([]);
  });

  test("one that is aborted while it starts leaves nothing", async () => {
    const reason = new Error("enough");
    const abort = new AbortController();
    const starting = startControlPlane({ parentDirectory, signal: abort.signal });
    setTimeout(() => abort.abort(reason), 700);
    await expect(starting).rejects.toBe(reason);
    expect(await readdir(parentDirectory)).toEqual([]);
  });

  test.each([
    { end: "is killed", program: "setInterval(() => {}, 1000)", kill: "SIGKILL" as const, wantCode: null },
    { end: "is interrupted", program: "setInterval(() => {}, 1000)", kill: "SIGINT" as const, wantCode: null },
    { end: "throws", program: "setTimeout(() => { throw new Error() })", wantCode: 1 },
    { end: "exits", program: "process.exit(7)", wantCode: 7 },
    { end: "returns and forgets to stop it", program: "", wantCode: 0 },
  ])("nothing of it outlives a parent that $end", async ({ program, kill, wantCode }) => {
    const source = JSON.stringify(join(import.meta.dirname, "control-plane.ts"));
    const script = `
      import { startControlPlane } from ${source};
      const options = ${JSON.stringify({ parentDirectory, ...bare })};
      const { etcd, apiServer } = await startControlPlane(options);
      await new Promise((told) => process.stdout.write(JSON.stringify([etcd.pid, apiServer.pid]), told));
      ${program}
    `;
    const parent = spawn(process.execPath, ["--input-type=module", "--eval", script], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const ended = once(parent, "exit");
    const pids: number[] = JSON.parse(String(await once(parent.stdout, "data")));
    expect(pids).toHaveLength(2);
    if (kill) {
      expect(pids.map(isRunning)).toEqual([true, true]);
      parent.kill(kill);
    }

    expect((await ended)[0]).toBe(wantCode);
    await vi.waitFor(() => expect(pids.map(isRunning)).toEqual([false, false]), 5000);
    await vi.waitFor(async () => expect(await readdir(parentDirectory)).toEqual([]), 10_000);
  });
});
