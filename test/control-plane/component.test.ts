import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Component, type ComponentOptions, StartError } from "./component.ts";
import { type Keeper, startKeeper } from "./keeper.ts";
import { isRunning } from "./process-state.ts";

let directory: string;
let keeper: Keeper;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "berg-component-"));
  keeper = startKeeper(undefined);
});
afterEach(async () => {
  await keeper.close();
  await rm(directory, { recursive: true, force: true });
});

/** A component whose program is a shell script, run as `program <port>`; ready once it made the file `ready`. */
async function component(script: string, options: Partial<ComponentOptions> = {}): Promise<Component> {
  const binary = join(directory, "program");
  await writeFile(binary, `#!/bin/sh\ncd ${directory}\n${script}\n`, { mode: 0o755 });
  return new Component({
    name: "program",
    binary,
    logFile: join(directory, "program.log"),
    keeper,
    flags: (port) => [String(port)],
    isReady: async () => existsSync(join(directory, "ready")),
    ...options,
  });
}

test("starts until ready, and keeps its port over restarts", async () => {
  const program = await component('echo "$1" >> ports; touch ready; exec sleep 100');
  await program.start();
  const first = program.pid as number;
  expect(isRunning(first)).toBe(true);

  await program.kill();
  expect(program.pid).toBeUndefined();
  expect(isRunning(first)).toBe(false);

  await rm(join(directory, "ready"));
  await program.start();
  expect(program.pid).not.toBe(first);
  expect(await readFile(join(directory, "ports"), "utf8")).toBe(`${program.port}\n${program.port}\n`);
  await program.kill();
});

test("a second start while it runs is refused, and hurts nothing", async () => {
  const program = await component("touch ready; exec sleep 100");
  await program.start();
  await expect(program.start()).rejects.toThrow("cannot start program: it runs already");
  expect(isRunning(program.pid as number)).toBe(true);
  await program.kill();
});

test("one that ends instead is reported with the last 20 lines of this attempt", async () => {
  await writeFile(join(directory, "program.log"), "from an earlier attempt\n");
  const program = await component("for i in $(seq 30); do echo line $i; done; exit 3");
  const error = await program.start().catch((thrown) => thrown);
  expect(error).toBeInstanceOf(StartError);
  const lines = error.message.split("\n");
  expect(lines[0]).toBe("cannot start program: it ended with code 3");
  expect(lines.slice(1)).toEqual(Array.from({ length: 20 }, (_, i) => `line ${i + 11}`));
  expect(program.pid).toBeUndefined();
});

test("a short log is shown without what earlier attempts wrote", async () => {
  await writeFile(join(directory, "program.log"), "from an earlier attempt: address already in use\n");
  const program = await component("echo broken; exit 1");
  const error = await program.start().catch((thrown) => thrown);
  expect(error.message).toBe("cannot start program: it ended with code 1\nbroken");
});

test("a port that someone took meanwhile is replaced by another", async () => {
  const program = await component(`echo "$1" >> ports
    [ $(wc -l < ports) -lt 3 ] && { echo "bind: address already in use"; exit 1; }
    touch ready; exec sleep 100`);
  await program.start();
  const tried = (await readFile(join(directory, "ports"), "utf8")).trim().split("\n");
  expect(tried).toHaveLength(3);
  expect(new Set(tried).size).toBe(3);
  expect(program.port).toBe(Number(tried[2]));
  await program.kill();
});

test("ready answers of someone else do not count for one that ended", async () => {
  const program = await component("exit 1", {
    isReady: async () => {
      while (program.pid !== undefined) await new Promise((resolve) => setTimeout(resolve, 5));
      return true;
    },
  });
  await expect(program.start()).rejects.toThrow("it ended with code 1");
});

test("an abort while it starts ends it and rejects with the reason", async () => {
  const program = await component("touch started; exec sleep 100");
  const abort = new AbortController();
  const starting = program.start(abort.signal);
  const reason = new Error("enough");
  setTimeout(() => abort.abort(reason), 100);
  await expect(starting).rejects.toBe(reason);
  expect(program.pid).toBeUndefined();
});

test("stop lets it end in its own way, even when it is paused", async () => {
  const program = await component("trap 'echo bye > goodbye; exit 0' TERM; touch ready; while :; do sleep 0.05; done");
  await program.start();
  program.pause();
  await program.stop();
  expect(await readFile(join(directory, "goodbye"), "utf8")).toBe("bye\n");
});

test("the caller's environment does not reach it", async () => {
  process.env.ETCD_NAME = "someone-else";
  const program = await component("env > environment; touch ready; exec sleep 100");
  await program.start();
  delete process.env.ETCD_NAME;
  expect(await readFile(join(directory, "environment"), "utf8")).not.toContain("someone-else");
  await program.kill();
});

test("nothing runs before its keeper knows of it", async () => {
  const forgetful: Keeper = {
    ...keeper,
    async add() {
      await new Promise((resolve) => setTimeout(resolve, 200));
      throw new Error("its keeper is gone");
    },
  };
  const program = await component("touch ran; touch ready; exec sleep 100", { keeper: forgetful });
  await expect(program.start()).rejects.toThrow("its keeper is gone");
  expect(program.pid).toBeUndefined();
  expect(existsSync(join(directory, "ran"))).toBe(false);
});
