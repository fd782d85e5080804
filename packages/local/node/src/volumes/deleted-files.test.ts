import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { deletedUse } from "./deleted-files.ts";

const { signal } = new AbortController();

test("a file without a name counts for as long as it is open, once however often", async () => {
  const directory = await mkdtemp(join(tmpdir(), "berg-deleted-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const before = await deletedUse(process.pid, signal);
  const script = `exec 3>"$1" 4<"$1"; head -c 3000000 /dev/zero >&3; rm "$1"; echo there; read -r _`;
  const child = spawn("/bin/sh", ["-c", script, "sh", join(directory, "file")]);
  await once(child.stdout, "data");
  const whileOpen = (await deletedUse(process.pid, signal)) - before;
  child.stdin.end();
  await once(child, "exit");
  // Other processes of this namespace may open and close theirs meanwhile.
  expect(whileOpen).toBeGreaterThan(2_900_000);
});

test("of a process that is not there nothing is known", async () => {
  expect(await deletedUse(0, signal)).toBe(0);
  expect(await deletedUse(2 ** 30, signal)).toBe(0);
});
