/** Other people's programs, started by tests, with what they read and say. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** Debian's packages with what the tests of this folder need. Daemons are not in everybody's path. */
const packages = {
  nc: "netcat-openbsd",
  ssh: "openssh-client",
  "ssh-keygen": "openssh-client",
  sshd: "openssh-server",
};
const folders = [...(process.env.PATH ?? "").split(":"), "/usr/sbin", "/sbin"];

export function programPath(name: keyof typeof packages): string {
  const found = folders.map((folder) => join(folder, name)).find(existsSync);
  if (!found) throw new Error(`this machine lacks ${name}: apt-get install ${packages[name]}`);
  return found;
}

export class Program implements AsyncDisposable {
  readonly child: ChildProcess;
  readonly #said: Buffer[] = [];
  readonly #complained: Buffer[] = [];
  readonly #closed: Promise<unknown[]>;

  constructor(path: string, args: readonly string[]) {
    this.child = spawn(path, args);
    this.#closed = once(this.child, "close");
    this.child.stdin?.on("error", () => {});
    this.child.stdout?.on("data", (bytes: Buffer) => this.#said.push(bytes));
    this.child.stderr?.on("data", (bytes: Buffer) => this.#complained.push(bytes));
  }

  /** On stdout, so far. */
  get said(): Buffer {
    return Buffer.concat(this.#said);
  }

  /** On stderr, so far. */
  get complained(): string {
    return Buffer.concat(this.#complained).toString();
  }

  write(input: string | Buffer): this {
    this.child.stdin?.write(input);
    return this;
  }

  /** Nothing more comes on its stdin. */
  end(input: string | Buffer = ""): this {
    this.child.stdin?.end(input);
    return this;
  }

  /** Its exit code. */
  async ended(): Promise<number> {
    const [code] = await this.#closed;
    return (code as number | null) ?? -1;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGKILL");
    await this.#closed;
  }
}
