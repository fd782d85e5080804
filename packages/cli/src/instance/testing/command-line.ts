/** The commands of `berg instance` in this process, with everything that they say. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Connection, kubeconfigFor, systemClock } from "@berg/kube";
import { type ExtendOptions, runExtend } from "../run-extend.ts";
import { type ListOptions, runList } from "../run-list.ts";
import { type RenewOptions, runRenew } from "../run-renew.ts";
import { runShow, type ShowOptions } from "../run-show.ts";
import { runStart, type StartOptions } from "../run-start.ts";
import { runStop, type StopOptions } from "../run-stop.ts";
import type { Output, Surroundings } from "../surroundings.ts";

export interface Said {
  code: number;
  stdout: string;
  stderr: string;
}

/** A command that runs; what it has said so far, and what it says in all. */
export interface Running extends PromiseLike<Said> {
  readonly stdout: string;
  readonly stderr: string;
  /** Ctrl-C. */
  interrupt(): void;
}

export class CommandLine implements AsyncDisposable {
  readonly directory: string;
  readonly kubeconfig: string;

  constructor(directory: string) {
    this.directory = directory;
    this.kubeconfig = join(directory, "kubeconfig");
  }

  static async for(connection: Connection, namespace?: string): Promise<CommandLine> {
    const commands = new CommandLine(await mkdtemp(join(tmpdir(), "berg-instance-")));
    const { ca } = await connection.tls();
    const token = (await connection.authorization())?.replace("Bearer ", "") ?? "none";
    const given = { ...(ca !== undefined && { ca }), ...(namespace !== undefined && { namespace }) };
    const text = kubeconfigFor({ name: "test", server: connection.server, token, ...given });
    await writeFile(commands.kubeconfig, text, { mode: 0o600 });
    return commands;
  }

  start = (challenge: string, options: Partial<StartOptions> = {}, around: Partial<Surroundings> = {}) =>
    this.#run(around, (all) => runStart(challenge, { wait: true, ...options }, all));
  list = (options: ListOptions = {}, around: Partial<Surroundings> = {}) =>
    this.#run(around, (all) => runList(options, all));
  show = (name: string, options: ShowOptions = {}, around: Partial<Surroundings> = {}) =>
    this.#run(around, (all) => runShow(name, options, all));
  renew = (name: string, options: RenewOptions = {}, around: Partial<Surroundings> = {}) =>
    this.#run(around, (all) => runRenew(name, options, all));
  extend = (names: string[], options: ExtendOptions = {}, around: Partial<Surroundings> = {}) =>
    this.#run(around, (all) => runExtend(names, options, all));
  stop = (names: string[], options: StopOptions = {}, around: Partial<Surroundings> = {}) =>
    this.#run(around, (all) => runStop(names, options, all));

  #run(given: Partial<Surroundings>, command: (around: Surroundings) => Promise<number>): Running {
    const [stdout, stderr] = [new Kept(), new Kept()];
    const interrupted = new AbortController();
    const done = command({
      stdout,
      stderr,
      env: { KUBECONFIG: this.kubeconfig, HOME: this.directory },
      directory: this.directory,
      clock: systemClock,
      randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
      signal: interrupted.signal,
      ...given,
    }).then((code) => ({ code, stdout: stdout.text, stderr: stderr.text }));
    return {
      get stdout() {
        return stdout.text;
      },
      get stderr() {
        return stderr.text;
      },
      interrupt: () => interrupted.abort(new Error("Ctrl-C")),
      // biome-ignore lint/suspicious/noThenProperty: waiting for it is waiting for its end
      then: (...handlers) => done.then(...handlers),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }
}

export class Kept implements Output {
  text = "";
  write(text: string): void {
    this.text += text;
  }
}
