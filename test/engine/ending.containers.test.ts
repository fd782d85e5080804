import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { onEachEngine, until } from "./on-each-engine.ts";

const script = (name: string) => `
  import { connectEngine } from "@berg/local-engine";
  import { imageArchive } from "@berg/local-node";
  import { busyboxImage, testEngines } from "@berg/test";
  const { socket, directory } = await testEngines.find(({ name }) => name === ${JSON.stringify(name)}).start();
  const engine = connectEngine(socket);
  await engine.loadImage(imageArchive(busyboxImage({ name: "berg.test/ending:1" })));
  const network = { name: "ending", labels: {}, subnet: "10.89.211.0/24", gateway: "10.89.211.1" };
  await engine.createNetwork({ ...network, bridge: "berg-t-ending" });
  const body = { Image: "berg.test/ending:1", Cmd: ["sleep", "1000"], Labels: {} };
  const { id } = await engine.createContainer("ending", { ...body, HostConfig: { NetworkMode: "ending" } });
  await engine.startContainer(id);
  const streams = { stdin: false, stdout: true, stderr: true, tty: false };
  for await (const _ of (await engine.exec(id, { command: ["true"], ...streams })).output);
  process.stdout.write(JSON.stringify({ directory }));
  await new Promise((resolve) => setTimeout(resolve, 60_000));`;

onEachEngine((given) => {
  test("a test that is killed leaves neither process, mount, interface nor file", async () => {
    const child = spawn(process.execPath, ["--input-type=module", "--eval", script(given.name)], {
      cwd: join(import.meta.dirname, ".."),
      stdio: ["ignore", "pipe", "inherit"],
    });
    const said = await new Promise<string>((resolve) => child.stdout.once("data", (text) => resolve(String(text))));
    const { directory } = JSON.parse(said) as { directory: string };
    expect(processesOf(directory)).not.toEqual([]);
    child.kill("SIGKILL");
    await until(async () => !existsSync(directory));
    expect(processesOf(directory)).toEqual([]);
    expect(readFileSync("/proc/mounts", "utf8")).not.toContain(directory);
    expect(existsSync("/sys/class/net/berg-t-ending")).toBe(false);
  });
});

/** What runs with this directory on its command line, but for the keeper, which is the last to go. */
function processesOf(directory: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      return words.includes(directory) && !words.includes("berg-keeper");
    } catch {
      return false;
    }
  });
}
