/** The UDP ports that are open. */
import type { Clock } from "@berg/kube";
import type { PortsOptions } from "./tcp-ports.ts";
import { UdpPort } from "./udp-port.ts";
import type { NodePort } from "./wanted-ports.ts";

export class UdpPorts {
  readonly #options: PortsOptions & { clock: Clock };
  readonly #open = new Map<number, UdpPort>();
  #wanted: ReadonlyMap<number, NodePort> = new Map();

  constructor(options: PortsOptions & { clock: Clock }) {
    this.#options = options;
  }

  /** Returns why some cannot be opened. */
  async set(wanted: ReadonlyMap<number, NodePort>): Promise<Map<number, string>> {
    const problems = new Map<number, string>();
    const before = this.#wanted;
    this.#wanted = wanted;
    for (const [port, open] of this.#open) {
      // Whoever talks to the Service of before is not to go on with its pods.
      if (wanted.get(port)?.target.service === before.get(port)?.target.service) continue;
      open.close();
      this.#open.delete(port);
    }
    for (const port of wanted.keys()) {
      if (this.#open.has(port)) continue;
      try {
        this.#open.set(port, await UdpPort.open({ ...this.#options, port, endpoints: () => this.#endpoints(port) }));
      } catch (error) {
        problems.set(port, (error as Error).message);
      }
    }
    return problems;
  }

  async stop(): Promise<void> {
    await this.set(new Map());
  }

  #endpoints(port: number) {
    const target = this.#wanted.get(port)?.target;
    return target ? this.#options.endpointsOf(target, "UDP") : [];
  }
}
