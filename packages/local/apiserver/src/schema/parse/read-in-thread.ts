/**
 * Reads large YAML texts beside the main thread, which answers other requests meanwhile: the parser takes seconds for a
 * megabyte. One text at a time, each within a deadline and with a bounded heap; few may wait.
 */
import { Worker } from "node:worker_threads";
import { systemClock } from "@berg/kube";
import { refusal } from "../../errors/refusals.ts";
import type { Body } from "../../registry/verbs.ts";
import { BadYaml } from "./yaml-document.ts";
import type { ThreadAnswer } from "./yaml-thread.ts";

const deadlineMs = 20_000;
const mostWaiting = 20;
const heapMb = 512;

let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

/** Rejects with `BadYaml`, or with a refusal where too many wait. */
export async function readInThread(text: string, withinMs = deadlineMs): Promise<Body> {
  if (waiting >= mostWaiting)
    throw refusal(429, "TooManyRequests", "Too many bodies in YAML, please try again later, or send JSON.", {
      retryAfterSeconds: 1,
    });
  waiting++;
  const reading = last.then(() => runThread(text, withinMs));
  last = reading.catch(() => {});
  try {
    const answer = await reading;
    if ("problem" in answer) throw new BadYaml(answer.problem);
    return { ...answer, duplicates: [] };
  } finally {
    waiting--;
  }
}

async function runThread(text: string, withinMs: number): Promise<ThreadAnswer> {
  const worker = new Worker(new URL("./yaml-thread.ts", import.meta.url), {
    workerData: text,
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  try {
    return await new Promise<ThreadAnswer>((resolve, reject) => {
      const tooSlow = new BadYaml(`yaml: the body takes more than ${withinMs} ms to read; send it as JSON`);
      const timer = systemClock.setTimer(withinMs, () => reject(tooSlow));
      worker.once("message", resolve).once("error", reject);
      worker.once("exit", () => {
        timer.cancel();
        reject(new BadYaml("yaml: the body could not be read; send it as JSON"));
      });
    });
  } finally {
    await worker.terminate();
  }
}
