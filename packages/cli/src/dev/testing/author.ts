/** `berg dev` as a process of its own, in a directory with a Challenge. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { vi } from "vitest";

const main = join(import.meta.dirname, "../../main.ts");

export class TestAuthor implements AsyncDisposable {
  readonly directory: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #children: ChildProcess[] = [];

  private constructor(directory: string, env: NodeJS.ProcessEnv) {
    this.directory = directory;
    this.#env = env;
  }

  static async create(env: NodeJS.ProcessEnv = {}): Promise<TestAuthor> {
    return new TestAuthor(await mkdtemp(join(tmpdir(), "berg-dev-")), { ...process.env, ...env });
  }

  async write(files: Record<string, string>): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(this.directory, path)), { recursive: true });
      await writeFile(join(this.directory, path), text);
    }
  }

  dev(...args: string[]): Started {
    return this.berg("dev", "challenge.yaml", "--http-port", "0", "--tls-port", "0", ...args);
  }

  berg(...args: string[]): Started {
    const child = spawn(process.execPath, [main, ...args], { cwd: this.directory, env: this.#env });
    this.#children.push(child);
    return new Started(child);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children) child.kill("SIGKILL");
    await rm(this.directory, { recursive: true, force: true });
  }
}

export class Started {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown[]>;
  said = "";

  constructor(child: ChildProcess) {
    this.child = child;
    this.ended = once(child, "exit");
    child.stdout?.on("data", (text) => (this.said += text));
    child.stderr?.on("data", (text) => (this.said += text));
  }

  /** What it says from now on, until this is among it. */
  async says(what: string | RegExp, timeout = 30_000): Promise<void> {
    await vi.waitFor(
      () => {
        const isSaid = typeof what === "string" ? this.said.includes(what) : what.test(this.said);
        if (!isSaid) throw new Error(`it did not say ${what}, but:\n${this.said}`);
      },
      { timeout, interval: 50 },
    );
  }

  forget(): void {
    this.said = "";
  }

  /** The page at the address that it told last. */
  async page(): Promise<string> {
    const { host, hostname, port } = new URL(/http:\/\/\S+/.exec(this.said)?.[0] ?? "");
    if (!hostname.endsWith(".localhost")) throw new Error(hostname);
    return new Promise((resolve, reject) => {
      request({ host: "127.0.0.1", port, headers: { Host: host } }, (response) => {
        let text = "";
        response.on("data", (chunk) => (text += chunk)).on("end", () => resolve(text));
      })
        .on("error", reject)
        .end();
    });
  }
}

/** With one container, which serves a page. */
export function webChallenge(more = ""): string {
  return `apiVersion: berg.norelect.ch/v1
kind: Challenge
metadata:
  name: page
spec:
  displayName: Page
  author: Berg
  description: A page.
  categories: [web]
  difficulty: baby
  flag: flag{page}
  containers:
    - hostname: web
      image: berg.test/dev-page:1
      ports:
        - { name: web, port: 8080, appProtocol: http, type: publicHttpRoute }
      dynamicFlag:
        env: { name: FLAG }
      readinessProbe:
        tcpSocket: { port: 8080 }
        periodSeconds: 1
${more}`;
}
