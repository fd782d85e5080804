import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pauseImage } from "./pause.ts";
import { pauseProgram } from "./pause-program.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "berg-pause-"));
});
afterEach(() => rm(directory, { recursive: true }));

const here = process.arch === "arm64" ? "aarch64" : "x86_64";

test.each(["SIGTERM", "SIGINT"] as const)("the program waits, and ends well on %s", async (signal) => {
  const file = join(directory, "pause");
  await writeFile(file, pauseProgram(here), { mode: 0o755 });
  const child = spawn(file);
  await once(child, "spawn");
  // A signal that comes before it waits for one would end it in another way.
  const waits = here === "aarch64" ? /^137 / : /^128 /;
  await expect.poll(() => readFileSync(`/proc/${child.pid}/syscall`, "utf8")).toMatch(waits);
  child.kill("SIGSTOP");
  child.kill("SIGCONT");
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(child.exitCode).toBeNull();
  child.kill(signal);
  const [code] = await once(child, "exit");
  expect(code).toBe(0);
});

test("the image has the program alone, and another name for another program", async () => {
  const image = pauseImage(here);
  expect(image.name).toMatch(/^berg\.local\/pause:[0-9a-f]{12}$/);
  expect(pauseImage(here).archive.equals(image.archive)).toBe(true);
  expect(pauseImage(here === "aarch64" ? "x86_64" : "aarch64").name).not.toBe(image.name);
  const file = join(directory, "image.tar");
  await writeFile(file, image.archive);
  const read = (name: string) => JSON.parse(execFileSync("tar", ["-xOf", file, name], { encoding: "utf8" }));
  const [manifest] = read("manifest.json");
  expect(manifest.RepoTags).toEqual([image.name]);
  expect(read(manifest.Config)).toMatchObject({
    architecture: here === "aarch64" ? "arm64" : "amd64",
    config: { Entrypoint: ["/pause"], Cmd: null },
  });
});

test("an architecture that nobody wrote it for is refused", () => {
  expect(() => pauseImage("riscv64")).toThrow("cannot run pods on riscv64: only x86_64 and aarch64 are known");
});
