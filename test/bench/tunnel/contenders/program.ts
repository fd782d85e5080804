/** A program that carries: started, asked for what it says, ended. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Site } from "../contender.ts";

const patienceMs = 60_000;

export class Program implements AsyncDisposable {
  readonly pid: number;
  readonly #name: string;
  readonly #child;
  readonly #ended;
  #said = "";

  constructor(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
    this.#name = [command.split("/").at(-1), args[0]].join(" ");
    this.#child = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    this.#ended = once(this.#child, "close").catch((error) => {
      this.#said += error;
    });
    this.pid = this.#child.pid ?? 0;
    for (const output of [this.#child.stdout, this.#child.stderr]) {
      output.setEncoding("utf8").on("data", (text: string) => {
        // The beginning says where it listens, the end what went wrong; neither is long.
        this.#said = this.#said.length < 20_000 ? this.#said + text : this.#said.slice(0, 5_000) + text;
      });
    }
  }

  /** What the first group of the pattern finds in its output, once it is there. */
  async says(pattern: RegExp): Promise<string> {
    let found: string | undefined;
    await this.until(`says ${pattern}`, async () => {
      found = pattern.exec(this.#said)?.[1];
      return found !== undefined;
    });
    return found ?? "";
  }

  async listensOn(site: Site): Promise<void> {
    await this.until(`listens on ${site.port}`, () => isOpen(site));
  }

  async until(what: string, holds: () => Promise<boolean>): Promise<void> {
    const deadline = performance.now() + patienceMs;
    while (!(await holds())) {
      const hasEnded = !this.isRunning;
      if (hasEnded || performance.now() > deadline)
        throw new Error(`${this.#name} ${hasEnded ? "ended before it" : "never"} ${what}:\n${this.#said}`);
      await delay(20);
    }
  }

  get isRunning(): boolean {
    return this.pid !== 0 && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }
}

function isOpen(site: Site): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(site);
    socket.on("error", () => resolve(false));
    socket.on("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });
}
