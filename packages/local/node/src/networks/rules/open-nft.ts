/**
 * One `nft` that stays open, for what is small and somebody waits for: a process of its own for each change takes ten
 * times as long as the change. It takes a line at a time, all of it or nothing, and says nothing where it agrees; so each
 * line is followed by a word that it cannot know, and what it complains of before that word is about the line.
 */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { Clock } from "@berg/kube";
import { NftRefusal, nftEnvironment } from "./nft.ts";

const deadlineMs = 10_000;

interface Opened {
  readonly child: ChildProcessByStdio<Writable, null, Readable>;
  readonly ended: Promise<never>;
  /** What it said since it was asked last. */
  said: string;
  onSaid(): void;
}

export class OpenNft implements Disposable {
  readonly #clock: Clock;
  #opened: Opened | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #count = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** All of them or none. Rejects with an NftRefusal, or where there is no nft that stays open. */
  run(statements: readonly string[]): Promise<void> {
    const run = this.#turn.then(() => this.#run(statements.join("; ")));
    this.#turn = run.catch(() => {});
    return run;
  }

  [Symbol.dispose](): void {
    this.#opened?.child.kill();
    this.#opened = undefined;
  }

  async #run(line: string): Promise<void> {
    this.#opened ??= this.#open();
    const opened = this.#opened;
    const mark = `end-${++this.#count}`;
    opened.said = "";
    const late = Promise.withResolvers<never>();
    const timer = this.#clock.setTimer(deadlineMs, () => late.reject(new Error("nft does not answer")));
    const heard = new Promise<void>((resolve) => {
      // The line below the word shows where it is wrong.
      opened.onSaid = () => new RegExp(`^${mark}\n.*\n`, "m").test(opened.said) && resolve();
    });
    opened.child.stdin.write(`${line}\n${mark}\n`);
    try {
      await Promise.race([heard, opened.ended, late.promise]);
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    } finally {
      timer.cancel();
    }
    const errors = opened.said.split(/^(?=Error: )/m);
    if (errors.length > 1) throw new NftRefusal(errors[0] ?? "");
  }

  #open(): Opened {
    // It keeps a list of what was asked, in the home directory.
    const env = { ...nftEnvironment, HOME: "/nonexistent" };
    const child = spawn("nft", ["--interactive"], { env, stdio: ["pipe", "ignore", "pipe"] });
    const { promise: ended, reject } = Promise.withResolvers<never>();
    const opened: Opened = { child, ended, said: "", onSaid: () => {} };
    ended.catch(() => {});
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      opened.said += text;
      opened.onSaid();
    });
    child.stdin.on("error", () => {});
    child.on("error", (cause) => reject(new Error(`cannot run nft: ${cause.message}`, { cause })));
    child.on("exit", () => {
      if (this.#opened === opened) this.#opened = undefined;
      reject(new Error("nft has ended"));
    });
    // It ends with us, and does not keep us.
    child.unref();
    return opened;
  }
}
