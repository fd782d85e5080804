/**
 * Keeps the logs of server proxies from filling the disk: one that has grown large is put aside, and begins anew. The
 * process goes on writing to the end of the same file, which it has open to append.
 */
import { copyFile, stat, truncate } from "node:fs/promises";
import { type Clock, errorText, type Logger, sleep } from "@berg/kube";

const everyMs = 60_000;
export const largest = 10 * 1024 * 1024;

export interface TrimOptions {
  /** Those that are written now. */
  files(): Iterable<string>;
  clock: Clock;
  log: Logger;
}

/** Until aborted. */
export async function trimLogs({ files, clock, log }: TrimOptions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(clock, everyMs, signal).catch(() => {});
    for (const file of signal.aborted ? [] : files()) {
      await trimLog(file).catch((error) => log.warn({ file, error: errorText(error) }, "a log cannot be put aside"));
    }
  }
}

/** What is written between the two steps is lost: a line or two, once in ten megabytes. */
export async function trimLog(file: string): Promise<void> {
  if ((await stat(file)).size <= largest) return;
  await copyFile(file, `${file}.1`);
  await truncate(file);
}
