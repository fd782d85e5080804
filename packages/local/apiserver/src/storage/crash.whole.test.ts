/** Killed under load, again and again. BERG_KILLS says how often. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { systemClock } from "@berg/kube";
import { expect, onTestFinished, test } from "vitest";
import type { Note } from "./fixtures.ts";
import { openStore } from "./open-store.ts";

const kills = Number(process.env.BERG_KILLS ?? 8);
const writer = fileURLToPath(new URL("./testing/write-until-killed.ts", import.meta.url));

interface Acknowledged {
  key: string;
  step: number;
  revision: number;
}

test(
  "no acknowledged write is lost and no revision is used twice, however often the process is killed",
  async () => {
    const directory = mkdtempSync(join(tmpdir(), "berg-crash-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const file = join(directory, "store.db");
    const last = new Map<string, number>();
    let highest = 0;
    let acknowledged = 0;
    for (let kill = 0; kill < kills; kill++) {
      const firstStep = Math.max(0, ...last.values()) + 2;
      const { start, writes } = await writeAndKill(file, firstStep, 5 + ((kill * 37) % 120));
      expect(start, "the revision that a new process starts with").toBeGreaterThanOrEqual(highest);
      highest = start;
      for (const { key, step, revision } of writes) {
        expect(revision, "revisions only grow").toBeGreaterThan(highest);
        highest = revision;
        last.set(key, step);
      }
      acknowledged += writes.length;
      await using store = await openStore({ file, clock: systemClock });
      expect(store.revision).toBeGreaterThan(highest);
      highest = store.revision;
      const notes = store.table("notes");
      for (const { metadata } of notes.list().items)
        expect(Number(metadata.resourceVersion)).toBeLessThan(store.revision);
      for (const [key, step] of last) {
        // It may have been killed when the next step was on disk and not yet acknowledged.
        const possible = [step, step < firstStep ? firstStep : step + 1];
        const found = stepOf(notes.get(key) as Note | undefined);
        expect(possible.map(leftBy), key).toContain(found);
        last.set(key, possible.findLast((step) => leftBy(step) === found) as number);
      }
    }
    expect(acknowledged).toBeGreaterThan(kills * 20);
  },
  20_000 + kills * 2_000,
);

function leftBy(step: number): string {
  return step % 5 === 0 ? "gone" : String(step);
}

function stepOf(object: Note | undefined): string {
  return object ? (object.text.split(" ")[0] as string) : "gone";
}

async function writeAndKill(file: string, firstStep: number, afterMs: number) {
  const child = spawn(process.execPath, [writer, file, String(firstStep)], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8");
  const ended = new Promise((resolve) => child.once("close", resolve));
  const working = new Promise<void>((resolve) => {
    child.stdout.on("data", (text: string) => {
      output += text;
      if (output.includes("writer-")) resolve();
    });
  });
  await Promise.race([working, ended]);
  await sleep(afterMs);
  child.kill("SIGKILL");
  await ended;
  const [start, ...lines] = output.slice(0, output.lastIndexOf("\n")).split("\n");
  const writes = lines.map((line): Acknowledged => {
    const [key = "", step, revision] = line.split(" ");
    return { key, step: Number(step), revision: Number(revision) };
  });
  return { start: Number(start?.split(" ")[1]), writes };
}
