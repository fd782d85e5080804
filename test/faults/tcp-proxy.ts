/**
 * Stands between a client and a server that speak any protocol over TCP, and does to their connections what bad days do:
 * refuses them, delays their bytes, or passes none and closes nothing.
 */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

export type TcpFault =
  | { kind: "refused" }
  /** As a server that is frozen: connections are accepted and stay open. */
  | { kind: "silent" }
  /** Every chunk arrives so much later, in both directions. */
  | { kind: "slow"; delayMs: number };

export class TcpProxy implements AsyncDisposable {
  /** Connections whose first bytes contain this text are cut and refused, and no others. */
  #refusedText: string | undefined;
  #fault: TcpFault | undefined;
  readonly #server: Server;
  readonly #target: { port: number };
  readonly #pairs = new Set<Pair>();

  private constructor(server: Server, target: { port: number }) {
    this.#server = server;
    this.#target = target;
  }

  static async start(target: { port: number }): Promise<TcpProxy> {
    const server = createServer();
    const proxy = new TcpProxy(server, target);
    server.on("connection", (socket) => proxy.#accept(socket));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Undefined passes everything again. Connections that were silent are cut, since bytes of theirs are missing. */
  setFault(fault: TcpFault | undefined): void {
    const wasSilent = this.#fault?.kind === "silent";
    this.#fault = fault;
    if (wasSilent || fault?.kind === "refused") this.cut();
  }

  refuseContaining(text: string | undefined): void {
    this.#refusedText = text;
    for (const pair of this.#pairs) if (this.#isRefused(pair)) pair.cut();
  }

  cut(): void {
    for (const pair of this.#pairs) pair.cut();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
  }

  #accept(client: Socket): void {
    if (this.#fault?.kind === "refused") return void client.on("error", () => {}).resetAndDestroy();
    const pair = new Pair(client, connect(this.#target.port, "127.0.0.1"));
    this.#pairs.add(pair);
    client.on("close", () => this.#pairs.delete(pair));
    const pass = (from: Socket, to: Socket) =>
      from.on("data", (chunk) => {
        if (from === client) pair.firstBytes ??= chunk.toString("latin1");
        if (this.#isRefused(pair)) return pair.cut();
        const fault = this.#fault;
        if (fault?.kind === "silent") return;
        if (fault?.kind === "slow") setTimeout(() => to.write(chunk), fault.delayMs);
        else to.write(chunk);
      });
    pass(client, pair.server);
    pass(pair.server, client);
  }

  #isRefused({ firstBytes }: Pair): boolean {
    return this.#refusedText !== undefined && firstBytes?.includes(this.#refusedText) === true;
  }
}

class Pair {
  firstBytes: string | undefined;
  readonly client: Socket;
  readonly server: Socket;

  constructor(client: Socket, server: Socket) {
    this.client = client;
    this.server = server;
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on("error", () => this.cut());
      socket.on("close", () => this.cut());
    }
  }

  cut(): void {
    if (!this.client.destroyed) this.client.resetAndDestroy();
    this.server.destroy();
  }
}
