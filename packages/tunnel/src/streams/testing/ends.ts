/** The two ends of a stream in a test: clients, and servers that a tunnel leads to. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { host } from "./pair.ts";

export interface TestServer extends AsyncDisposable {
  port: number;
  /** In the order of their coming. */
  connections: Socket[];
}

export async function startServer(onConnection: (socket: Socket) => void): Promise<TestServer> {
  const connections: Socket[] = [];
  const server: Server = createServer({ allowHalfOpen: true }, (socket) => {
    connections.push(socket);
    socket.on("error", () => {});
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    connections,
    async [Symbol.asyncDispose]() {
      for (const socket of connections) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Says back what it hears, and ends when the other does. */
export const startEcho = () => startServer((socket) => socket.pipe(socket));

/** Answers so many bytes once the client has ended. */
export const startAnswerAfterEnd = (bytes: Buffer) =>
  startServer((socket) => socket.resume().on("end", () => socket.end(bytes)));

/** One end, and what it has received so far. */
export class End {
  readonly socket: Socket;
  readonly pieces: Buffer[] = [];
  /** "end" is a FIN, "reset" anything else that broke it off. */
  state: "open" | "end" | "reset" = "open";
  isConnected = false;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on("connect", () => {
      this.isConnected = true;
    });
    socket.on("data", (piece) => this.pieces.push(piece));
    socket.on("end", () => {
      if (this.state === "open") this.state = "end";
    });
    socket.on("error", () => {
      this.state = "reset";
    });
  }

  get received(): Buffer {
    return Buffer.concat(this.pieces);
  }

  get text(): string {
    return this.received.toString();
  }
}

export function connectEnd(port: number): End {
  return new End(connect({ port, host, allowHalfOpen: true, noDelay: true }));
}
