import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { missingPodman, startPodman, type TestPodman } from "@berg/test";
import { until } from "@berg/test/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findEngine } from "./find.ts";

describe.skipIf(missingPodman())("on a machine with Podman", () => {
  let podman: TestPodman;
  let runtimeDirectory: string;
  const environment = () => ({ PATH: process.env.PATH, XDG_RUNTIME_DIR: runtimeDirectory, ...podman.environment });
  beforeAll(async () => {
    podman = await startPodman();
    runtimeDirectory = await mkdtemp(join(tmpdir(), "berg-find-"));
  });
  afterAll(async () => {
    await podman.stop();
    await rm(runtimeDirectory, { recursive: true });
  });

  test("the engine that a variable names is taken, and no other", async () => {
    await using found = await findEngine("auto", { DOCKER_HOST: `unix://${podman.socket}` });
    expect(found).toMatchObject({ socket: podman.socket, info: { name: "podman" } });
    await using wrong = await findEngine("docker", { DOCKER_HOST: `unix://${podman.socket}` });
    expect(wrong).toMatchObject({ reason: `DOCKER_HOST is set, and what answers at ${podman.socket} is podman` });
  });

  test("where there is the command alone, its service runs until it is let go of", async () => {
    const found = await findEngine("podman", environment());
    if ("reason" in found) throw new Error(found.reason);
    expect(found.info.name).toBe("podman");
    expect(await found.engine.listContainers({})).toEqual([]);
    await found[Symbol.asyncDispose]();
    expect(existsSync(found.socket)).toBe(false);
    await expect(found.engine.info()).rejects.toThrow(/no container engine answers/);
  });

  test("without iptables it names the package that its networks need", async () => {
    const bin = await mkdtemp(join(tmpdir(), "berg-bin-"));
    await symlink("/usr/bin/podman", join(bin, "podman"));
    await using found = await findEngine("podman", { ...environment(), PATH: bin });
    if ("reason" in found) throw new Error(found.reason);
    expect(await found.missing()).toContain("apt-get install iptables");
    await rm(bin, { recursive: true });
    await using usual = await findEngine("podman", environment());
    expect("missing" in usual && (await usual.missing())).toBeUndefined();
  });

  test("its service comes back when it is killed", async () => {
    await using found = await findEngine("podman", environment());
    if ("reason" in found) throw new Error(found.reason);
    process.kill(await serviceOf(found.socket), "SIGKILL");
    await expect(found.engine.info()).rejects.toThrow();
    await until(() => found.engine.info().catch(() => undefined));
  });

  test("its service ends with us, even when we are killed", async () => {
    const script = `
      import { findEngine } from ${JSON.stringify(join(import.meta.dirname, "find.ts"))};
      const found = await findEngine("podman", process.env);
      process.stdout.write(found.socket ?? found.reason);`;
    const child = spawn(process.execPath, ["--input-type=module-typescript", "--eval", script], { env: environment() });
    const socket = await new Promise<string>((resolve) => child.stdout.once("data", (text) => resolve(String(text))));
    const service = await serviceOf(socket);
    child.kill("SIGKILL");
    await until(async () => !existsSync(`/proc/${service}`));
    await until(async () => !existsSync(dirname(socket)));
  });

  test("a command that does not start a service says why", async () => {
    await using found = await findEngine("podman", { ...environment(), CONTAINERS_CONF: "/no/such/file" });
    expect(found).toMatchObject({ reason: expect.stringMatching(/podman system service does not answer: .*no such/) });
  });
});

/** The process that listens at a socket of ours, by its command line. */
async function serviceOf(socket: string): Promise<number> {
  return until(async () =>
    readdirSync("/proc")
      .map(Number)
      .filter((pid) => pid > 0)
      .find((pid) => {
        try {
          const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
          return words.includes("service") && words.includes(`unix://${socket}`);
        } catch {
          return false;
        }
      }),
  );
}
