/** One tunnel of the client proxy: the port that clients find, who came in by it, and how many may. */
import { createServer, type Server, type Socket } from "node:net";
import type { Clock, Logger } from "@berg/kube/process";
import type { ListeningTunnel, TunnelPort, TunnelState } from "./contract.ts";
import { addressesOf, listen } from "./listen.ts";
import { Pace } from "./pace.ts";
import type { RelayLimits } from "./relay.ts";
import { SeldomLog } from "./seldom.ts";
import { ignoreError, reset, socketOptions } from "./sockets.ts";

interface ListenerOptions {
  clock: Clock;
  log: Logger;
  /** Whether there is room for one more, whatever the tunnel. */
  hasRoom(): boolean;
  onClient(client: Socket, listener: TunnelListener): void;
}

export class TunnelListener {
  readonly tunnel: ListeningTunnel;
  readonly relayLimits: RelayLimits;
  readonly #options: ListenerOptions;
  readonly #warnings: SeldomLog;
  readonly #server: Server;
  #where: TunnelPort;
  #open = 0;
  #total = 0;
  #refused = 0;
  #isEnding = false;

  constructor(tunnel: ListeningTunnel, options: ListenerOptions) {
    const { idleSeconds, bytesPerSecond } = tunnel.limits;
    const pace = () => new Pace(options.clock, bytesPerSecond);
    this.tunnel = tunnel;
    this.relayLimits = {
      idleMs: idleSeconds * 1000,
      paces: bytesPerSecond === 0 ? undefined : { outwards: pace(), inwards: pace() },
    };
    this.#options = options;
    this.#warnings = new SeldomLog(options.clock, options.log);
    this.#server = createServer(socketOptions, (client) => this.#admit(client));
    this.#where = { addresses: [], port: tunnel.port };
  }

  /** `except`: an address of this machine that is not meant for clients. */
  async listen(except: string): Promise<TunnelPort> {
    const port = await listen(this.#server, this.tunnel.address, this.tunnel.port);
    this.#where = { port, addresses: addressesOf(this.#server, except) };
    return this.#where;
  }

  /** Nobody new comes in. */
  close(): void {
    this.#isEnding = true;
    this.#server.close();
  }

  /** A stream is over. */
  left(): void {
    this.#open--;
  }

  get state(): TunnelState {
    const counts = { open: this.#open, total: this.#total, refused: this.#refused };
    return { tunnel: this.tunnel, ...this.#where, ...counts, isEnding: this.#isEnding };
  }

  /** Resets one that is too many. */
  refuse(client: Socket, why: string): void {
    this.#refused++;
    this.#warnings.warn({ tunnel: this.tunnel.name, why }, "a client is refused");
    reset(client);
  }

  #admit(client: Socket): void {
    client.on("error", ignoreError);
    const { streams } = this.tunnel.limits;
    if (streams > 0 && this.#open >= streams) this.refuse(client, `${streams} streams are open already`);
    else if (!this.#options.hasRoom()) this.refuse(client, "this proxy has no descriptors left");
    else {
      this.#open++;
      this.#total++;
      this.#options.onClient(client, this);
    }
  }
}
