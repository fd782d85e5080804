/** Ports of this machine whose connections go to pods, byte by byte. */
import type { Socket } from "node:net";
import type { Logger, Random } from "@berg/kube";
import { connectToAny } from "../proxy/connect.ts";
import type { EndpointsOf } from "../proxy/endpoints.ts";
import { join } from "../proxy/join.ts";
import type { Limits } from "../proxy/limits.ts";
import { ListeningPorts } from "../proxy/listening-ports.ts";
import { OpenConnections } from "../proxy/open-connections.ts";
import type { NodePort } from "./wanted-ports.ts";

export interface PortsOptions {
  host: string;
  endpointsOf: EndpointsOf;
  limits: Limits;
  random: Random;
  log: Logger;
}

export class TcpPorts {
  readonly connections: OpenConnections;
  readonly #options: PortsOptions;
  readonly #ports: ListeningPorts;
  #wanted: ReadonlyMap<number, NodePort> = new Map();

  constructor(options: PortsOptions) {
    const { host, limits, log } = options;
    this.#options = options;
    this.connections = new OpenConnections(limits, log);
    this.#ports = new ListeningPorts({ host, onConnection: (socket, port) => void this.#serve(socket, port) });
  }

  /** Returns why some cannot be opened. */
  async set(wanted: ReadonlyMap<number, NodePort>): Promise<Map<number, string>> {
    this.#wanted = wanted;
    return this.#ports.set(new Set(wanted.keys()));
  }

  async stop(): Promise<void> {
    await this.set(new Map());
    this.connections.closeAll();
  }

  async #serve(client: Socket, port: number): Promise<void> {
    if (!this.connections.admit(client)) return;
    client.on("error", () => client.destroy());
    const { endpointsOf, limits, random } = this.#options;
    const target = this.#wanted.get(port)?.target;
    const leaving = new AbortController();
    const leave = () => leaving.abort();
    client.once("close", leave);
    try {
      const { connectMs } = limits;
      const connecting = { random, connectMs, allowHalfOpen: true, signal: leaving.signal };
      const pod = await connectToAny(target ? endpointsOf(target) : [], connecting);
      client.off("close", leave);
      join(client, pod, limits);
    } catch {
      // Where no pod is ready, Kubernetes refuses the connection; ours is accepted before we know, and so broken off.
      client.resetAndDestroy();
    }
  }
}
