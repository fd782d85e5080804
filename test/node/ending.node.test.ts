/** A node leaves nothing behind, whatever ends it, and never touches what is the host's. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { networkInterfaces, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createClient, Pods } from "@berg/kube";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ControlPlane, startControlPlane } from "../control-plane/control-plane.ts";
import { eventually } from "../runtime/eventually.ts";
import { commandPath, missingNode } from "./missing.ts";
import { startNode } from "./node.ts";
import { isReady, podOf, podThat, webImage } from "./pods.ts";
import { run } from "./run.ts";

/** Everything on this host that has to do with the node in `directory`. */
async function tracesOf(directory: string): Promise<string[]> {
  const name = basename(directory).replace("node-", "");
  const mounts = readFileSync("/proc/self/mountinfo", "utf8").split("\n");
  const cgroups = await run(["find", "/sys/fs/cgroup", "-maxdepth", "2", "-name", name]);
  const processes = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && commandLine(pid).includes(directory));
  return [
    ...mounts.filter((line) => line.includes(directory)),
    ...Object.keys(networkInterfaces()).filter((link) => link === name),
    ...cgroups.split("\n").filter(Boolean),
    ...processes.map(commandLine),
    ...readdirSync(join(directory, "..")).filter((file) => file === basename(directory)),
  ];
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

/** What the host has for itself and a node would like to change: packet filters, bridges, kernel settings. */
async function hostState() {
  const settings = [
    "vm/overcommit_memory",
    "vm/panic_on_oom",
    "kernel/panic",
    "kernel/panic_on_oops",
    "net/ipv4/ip_forward",
  ];
  const filters = await run([`${commandPath("iptables")}-save`]);
  return {
    settings: settings.map((name) => readFileSync(`/proc/sys/${name}`, "utf8")),
    ours: filters.split("\n").filter((line) => /KUBE-|CNI-/.test(line)),
    bridges: await run([commandPath("ip"), "-brief", "link", "show", "type", "bridge"]),
    networks: await run([commandPath("ip"), "netns", "list"]),
  };
}

describe.skipIf(await missingNode())("the end of a node", () => {
  let controlPlane: ControlPlane;
  beforeAll(async () => {
    controlPlane = await startControlPlane();
  });
  afterAll(() => controlPlane?.stop());

  test("two nodes one after another: each runs its pods, and nothing of it is left, nor of the host changed", async () => {
    const client = createClient({ connection: controlPlane.connection });
    const before = await hostState();
    for (const name of ["first", "second"]) {
      const node = await startNode({ controlPlane, name });
      try {
        await node.addImage(webImage);
        await client.create(Pods, podOf(name, {}, { nodeName: name }));
        await podThat(client, name, "is ready", isReady);
        expect(await tracesOf(node.directory)).not.toEqual([]);
        expect(await hostState()).toEqual(before);
      } finally {
        await node.stop();
      }
      expect(await tracesOf(node.directory)).toEqual([]);
      await node.stop();
    }
    expect(await hostState()).toEqual(before);
    await client.close();
  });

  test("a node that is aborted while it starts leaves nothing", async () => {
    const parentDirectory = await mkdtemp(join(tmpdir(), "berg-ending-"));
    const abort = new AbortController();
    const starting = startNode({ controlPlane, parentDirectory, signal: abort.signal });
    const reason = new Error("enough");
    setTimeout(() => abort.abort(reason), 700);
    let directory = "";
    await eventually("it has begun", () => {
      directory = readdirSync(parentDirectory)[0] ?? "";
      return directory;
    });
    await expect(starting).rejects.toBe(reason);
    expect(await tracesOf(join(parentDirectory, directory))).toEqual([]);
    await rm(parentDirectory, { recursive: true });
  });

  test("nothing of it outlives a parent that is killed", async () => {
    const here = (file: string) => JSON.stringify(join(import.meta.dirname, file));
    const script = `
      import { startControlPlane } from ${here("../control-plane/control-plane.ts")};
      import { startNode } from ${here("node.ts")};
      const node = await startNode({ controlPlane: await startControlPlane() });
      process.stdout.write(node.directory);
      setInterval(() => {}, 1000);
    `;
    const parent = spawn(process.execPath, ["--input-type=module", "--eval", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const directory = String(await once(parent.stdout, "data"));
    expect(await tracesOf(directory)).not.toEqual([]);
    parent.kill("SIGKILL");
    await expect.poll(() => tracesOf(directory), { timeout: 20_000 }).toEqual([]);
  });
});
