import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { isRunning } from "../control-plane/process-state.ts";
import { onEachGarden } from "./on-each-garden.ts";

onEachGarden((gardener) => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "berg-ending-"));
  });
  afterEach(() => rm(directory, { recursive: true }));

  test.each([
    { end: "is stopped", program: "await garden.stop()" },
    { end: "is left by a parent that is killed", program: "setInterval(() => {}, 1000)", kill: true },
  ])("leaves no process and no file where it $end", async ({ program, kill }) => {
    const script = `
      import { startGarden } from ${JSON.stringify(join(import.meta.dirname, "garden.ts"))};
      const garden = await startGarden({ gardener: "${gardener}", targets: 1 });
      const planes = [garden.controlPlane, ...garden.targets.map(({ controlPlane }) => controlPlane)];
      const processes = [garden.gardenerServer, ...planes.flatMap(({ etcd, apiServer }) => [etcd, apiServer])];
      const pids = processes.flatMap((one) => one?.pid ?? []);
      await new Promise((told) => process.stdout.write(JSON.stringify(pids), told));
      ${program}
    `;
    const parent = spawn(process.execPath, ["--input-type=module", "--eval", script], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, TMPDIR: directory },
    });
    const ended = once(parent, "exit");
    const pids: number[] = JSON.parse(String(await once(parent.stdout, "data")));
    expect(pids).toHaveLength(gardener === "real" ? 5 : 4);
    if (kill) {
      const made = (await readdir(directory)).map((name) => name.replace(/-\w+$/, "")).sort();
      expect(made).toEqual(["berg-control-plane", "berg-control-plane", "berg-garden", "berg-target"]);
      parent.kill("SIGKILL");
    }
    await ended;
    await vi.waitFor(() => expect(pids.filter(isRunning)).toEqual([]), 5_000);
    await vi.waitFor(async () => expect(await readdir(directory)).toEqual([]), 10_000);
  });
});
