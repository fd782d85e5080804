/** The connections that are open, so that there are not too many, and none is left at the end. */
import type { Socket } from "node:net";
import type { Logger } from "@berg/kube";
import type { Limits } from "./limits.ts";

type CountLimits = Pick<Limits, "connections" | "connectionsPerSource">;

export class OpenConnections {
  readonly #limits: CountLimits;
  readonly #log: Logger;
  readonly #open = new Set<Socket>();
  readonly #bySource = new Map<string, number>();
  #refusing = false;

  constructor(limits: CountLimits, log: Logger) {
    this.#limits = limits;
    this.#log = log;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Counts it until it is closed; or closes it at once, where there are too many. */
  admit(socket: Socket): boolean {
    const source = socket.remoteAddress ?? "";
    const ofSource = (this.#bySource.get(source) ?? 0) + 1;
    if (this.#open.size >= this.#limits.connections || ofSource > this.#limits.connectionsPerSource) {
      this.#refuse(socket, source);
      return false;
    }
    this.#open.add(socket);
    this.#bySource.set(source, ofSource);
    socket.once("close", () => this.#closed(socket, source));
    return true;
  }

  closeAll(): void {
    for (const socket of this.#open) socket.destroy();
  }

  #closed(socket: Socket, source: string): void {
    this.#open.delete(socket);
    const left = (this.#bySource.get(source) ?? 1) - 1;
    if (left > 0) this.#bySource.set(source, left);
    else this.#bySource.delete(source);
    this.#refusing = false;
  }

  #refuse(socket: Socket, source: string): void {
    socket.destroy();
    // Once, until one is closed: whoever opens thousands must not fill the log, too.
    if (this.#refusing) return;
    this.#refusing = true;
    this.#log.warn({ source, open: this.#open.size }, "too many connections: new ones are closed");
  }
}
