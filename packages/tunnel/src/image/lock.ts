/**
 * One at a time, of all processes that share a directory. The lock is the kernel's, by way of SQLite, and ends with the
 * process that has it, whatever ends that: no file stays behind that somebody would have to judge by pid and time.
 */
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type Clock, sleep } from "@berg/kube";

export interface LockOptions {
  clock: Clock;
  signal: AbortSignal;
  /** Said once, where another has it. */
  onWait?(): void;
}

const pollMs = 100;

/** `await using lock = await takeLock("/data/tunnel/image.lock", { clock, signal });` */
export async function takeLock(file: string, { clock, signal, onWait }: LockOptions): Promise<AsyncDisposable> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  for (let attempt = 0; ; attempt++) {
    signal.throwIfAborted();
    const held = tryLock(file);
    if (held) return { [Symbol.asyncDispose]: async () => held.close() };
    if (attempt === 0) onWait?.();
    await sleep(clock, pollMs, signal);
  }
}

/** Undefined where another has it. */
export async function takeLockNow(file: string): Promise<Disposable | undefined> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const held = tryLock(file);
  return held && { [Symbol.dispose]: () => held.close() };
}

const isBusy = 5;

function tryLock(file: string): DatabaseSync | undefined {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.exec("BEGIN EXCLUSIVE");
    return database;
  } catch (error) {
    database.close();
    if (error instanceof Error && "errcode" in error && error.errcode === isBusy) return undefined;
    throw new Error(`cannot lock ${file}: ${error instanceof Error ? error.message : error}; remove it`, {
      cause: error,
    });
  }
}
