/** etcd on a unix socket: no port to race for, and no other user of the machine can read it. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Component, type ControlledProcess } from "./component.ts";
import type { Site } from "./control-plane.ts";
import { ask } from "./request.ts";

export interface Etcd extends ControlledProcess {
  /** Loses all data: kills it if it runs; the next start is an empty one. The API server knows nothing of it. */
  wipe(): Promise<void>;
  /** Forgets every revision before the current one, which it returns. */
  compact(signal?: AbortSignal): Promise<number>;
}

export class EtcdProcess extends Component implements Etcd {
  readonly #data: string;
  readonly #socket: string;

  constructor({ directory, binaries, keeper }: Site, durable: boolean) {
    const data = join(directory, "etcd");
    const socket = join(directory, "etcd.sock");
    super({
      name: "etcd",
      binary: join(binaries, "etcd"),
      logFile: join(directory, "etcd.log"),
      keeper,
      flags: () => [
        "--name=etcd",
        `--data-dir=${data}`,
        `--listen-client-urls=unix://${socket}`,
        `--listen-peer-urls=unix://${join(directory, "etcd-peer.sock")}`,
        // Only ever told to other members and clients that look for some; there are none.
        "--advertise-client-urls=http://127.0.0.1:2379",
        "--initial-advertise-peer-urls=http://127.0.0.1:2380",
        "--initial-cluster=etcd=http://127.0.0.1:2380",
        // A lone member waits one election timeout before it serves.
        "--heartbeat-interval=10",
        "--election-timeout=100",
        ...(durable ? [] : ["--unsafe-no-fsync"]),
        "--log-level=warn",
      ],
      async isReady(_port, signal) {
        const { status } = await ask({ socketPath: socket, path: "/health", signal });
        return status === 200;
      },
    });
    this.#data = data;
    this.#socket = socket;
  }

  async wipe(): Promise<void> {
    await this.kill();
    await rm(this.#data, { recursive: true, force: true });
  }

  async compact(signal?: AbortSignal): Promise<number> {
    const anyKey = Buffer.from("/").toString("base64");
    const { header } = (await this.#call("/v3/kv/range", { key: anyKey }, signal)) as { header: { revision: string } };
    await this.#call("/v3/kv/compaction", { revision: header.revision, physical: true }, signal);
    return Number(header.revision);
  }

  async #call(path: string, body: object, signal?: AbortSignal): Promise<unknown> {
    const answer = await ask({ socketPath: this.#socket, method: "POST", path, signal }, JSON.stringify(body));
    if (answer.status !== 200) throw new Error(`etcd answered ${path} with ${answer.status}: ${answer.body}`);
    return JSON.parse(answer.body);
  }
}
