/**
 * One machine for tests: Podman and the shipped `berg up` as a process of its own, with data and ports of its own. It
 * can be killed and started again on the same data; whatever ends the test, nothing of it stays.
 *
 *     await using machine = await startMachine();
 *     await machine.up();
 *     const { flag, addresses } = await machine.startInstance("notes");
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient, loadConnection, systemClock, unlimited } from "@berg/kube";
import { connectEngine, type Engine } from "@berg/local-engine";
import { startKeeper } from "../control-plane/keeper.ts";
import { freePort } from "../control-plane/ports.ts";
import { startPodman, type TestPodman } from "../engine/podman.ts";
import { type Ended, runToEnd } from "./run.ts";

const main = join(import.meta.dirname, "../../packages/cli/src/main.ts");
const startMs = 180_000;

/** What `berg instance start --json` prints, as far as it is read here. */
export interface Started {
  name: string;
  phase: string;
  flag: string;
  instanceNamespace: string;
  addresses: { name: string; hostname: string; port: number; url?: string; command?: string }[];
}

export interface Up {
  readonly child: ChildProcess;
  readonly ended: Promise<number | NodeJS.Signals>;
  /** All that it has said. */
  said(): string;
}

export interface StartingUp extends Up {
  /** Resolves when it has said this, or has ended. */
  says(text: string): Promise<void>;
}

export interface Machine extends AsyncDisposable {
  readonly podman: TestPodman;
  readonly directory: string;
  readonly dataDir: string;
  readonly httpPort: number;
  readonly engine: Engine;
  /** The environment of whoever uses it. */
  readonly user: Readonly<Record<string, string>>;
  /** The packet rules of the node that ran last. */
  table(): string;
  spawnUp(...args: string[]): Promise<StartingUp>;
  /** Resolves when it is up, or has ended. */
  up(...args: string[]): Promise<Up>;
  berg(...args: string[]): Promise<Ended>;
  startInstance(challenge: string, ...args: string[]): Promise<Started>;
  client(): Promise<Client>;
}

/** `settings`: environment variables of `berg up`. */
export async function startMachine(settings: Readonly<Record<string, string>> = {}): Promise<Machine> {
  await using undo = new AsyncDisposableStack();
  const podman = undo.use(await startPodman());
  const directory = await mkdtemp(join(tmpdir(), "berg-machine-"));
  const dataDir = join(directory, "data");
  const tableFile = join(directory, "table");
  const keeper = startKeeper(directory, cleanUp(directory, tableFile));
  undo.defer(() => keeper.close());
  const [port, httpPort, tlsPort] = [await freePort(), await freePort(), await freePort()];
  const kubeconfig = join(dataDir, "kubeconfig");
  const env = { PATH: process.env.PATH ?? "", HOME: directory };
  const clients: Client[] = [];
  undo.defer(async () => void (await Promise.all(clients.map((client) => client.close()))));

  async function spawnUp(...args: string[]): Promise<StartingUp> {
    const ports = ["--port", port, "--http-port", httpPort, "--tls-port", tlsPort, "--web-port", 0].map(String);
    const child = spawn(process.execPath, [main, "up", "--data-dir", dataDir, ...ports, ...args], {
      cwd: directory,
      env: { ...env, ...settings, CONTAINER_HOST: `unix://${podman.socket}` },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const pid = child.pid ?? 0;
    await keeper.add(pid);
    const ended = new Promise<number | NodeJS.Signals>((resolve) => {
      child.on("exit", (code, signal) => {
        keeper.remove(pid);
        resolve(code ?? signal ?? 1);
      });
    });
    let said = "";
    const readers = new Set<() => void>();
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        said += text;
        for (const read of readers) read();
      });
    const says = async (text: string) => {
      const late = Promise.withResolvers<never>();
      const timer = setTimeout(() => late.reject(new Error(`berg up takes too long:\n${said}`)), startMs);
      const heard = new Promise<void>((resolve) => readers.add(() => said.includes(text) && resolve()));
      await Promise.race([heard, ended, late.promise]).finally(() => clearTimeout(timer));
    };
    return { child, ended, said: () => said, says };
  }

  async function up(...args: string[]): Promise<Up> {
    const starting = await spawnUp(...args);
    await starting.says("Ctrl-C stops it");
    const node = /nodes +(\S+): containers of/.exec(starting.said())?.[1];
    if (node) writeFileSync(tableFile, `berg-${createHash("sha256").update(node).digest("hex").slice(0, 10)}`);
    return starting;
  }

  const user = { ...env, KUBECONFIG: kubeconfig };
  const berg = (...args: string[]) => runToEnd(process.execPath, [main, ...args], user);
  const all = undo.move();
  return {
    podman,
    directory,
    dataDir,
    httpPort,
    engine: connectEngine(podman.socket),
    user,
    table: () => readFileSync(tableFile, "utf8"),
    spawnUp,
    up,
    berg,
    async startInstance(challenge, ...args) {
      const { exit, stdout, stderr } = await berg("instance", "start", challenge, "--json", ...args);
      if (exit !== 0) throw new Error(`berg instance start ${challenge} ended with ${exit}: ${stderr}\n${stdout}`);
      return JSON.parse(stdout) as Started;
    },
    async client() {
      const { signal } = new AbortController();
      const connection = await loadConnection({ kubeconfig, clock: systemClock, signal });
      const client = createClient({ connection, rate: unlimited });
      clients.push(client);
      return client;
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** For the keeper: what a killed `berg up` leaves beside what its engine has. Files go after this, and so mounts first. */
function cleanUp(directory: string, tableFile: string): string {
  return `
nft delete table inet "$(cat ${tableFile})"
for mount in $(cut -d ' ' -f 2 /proc/mounts | grep "^${directory}/" | sort -r); do umount -l "$mount"; done
`;
}
