/** Stands between the server proxy and the client proxy's control port, and does to it what bad days do. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

export class Gate implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isShut = false;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async before(port: number, host = "127.0.0.1"): Promise<Gate> {
    const server = createServer();
    const gate = new Gate(server);
    server.on("connection", (from) => gate.#pass(from, connect(port, host)));
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    return gate;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** How many connections pass now, both ends counted. */
  get open(): number {
    return this.#sockets.size;
  }

  /** Ends what passes, and lets nothing new through. */
  cut(): void {
    this.#isShut = true;
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** No byte passes any more on what is open, and nobody is told. */
  freeze(): void {
    for (const socket of this.#sockets) {
      socket.unpipe();
      socket.resume();
    }
  }

  mend(): void {
    this.#isShut = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #pass(from: Socket, to: Socket): void {
    for (const [socket, other] of [
      [from, to],
      [to, from],
    ] as const) {
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
    if (this.#isShut) from.resetAndDestroy();
  }
}
