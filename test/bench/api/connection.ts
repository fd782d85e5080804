/** One keep-alive connection of the load generator: one request at a time, written and read without an HTTP library. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type ReadResponse, ResponseReader } from "./response-reader.ts";

export interface Target {
  port: number;
  /** `Host` header. */
  host: string;
}

export interface Request {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

export class Connection implements Disposable {
  readonly #socket: Socket;
  readonly #host: string;
  readonly #reader = new ResponseReader();
  #pending: PromiseWithResolvers<ReadResponse> | undefined;

  private constructor(socket: Socket, host: string) {
    this.#socket = socket;
    this.#host = host;
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => {
      try {
        const response = this.#reader.add(chunk);
        if (response) this.#pending?.resolve(response);
      } catch (error) {
        this.#pending?.reject(error);
      }
    });
    socket.on("error", (error) => this.#pending?.reject(error));
    socket.on("close", () => this.#pending?.reject(new Error("the server closed the connection")));
  }

  static async open({ port, host }: Target): Promise<Connection> {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    return new Connection(socket, host);
  }

  /** Rejects where the answer is no success. */
  async send(request: Request): Promise<Buffer> {
    this.#pending = Promise.withResolvers<ReadResponse>();
    this.#socket.write(textOf(request, this.#host));
    const { status, body } = await this.#pending.promise;
    if (status >= 300) throw new Error(`${request.method} ${request.path}: ${status} ${body.toString().slice(0, 500)}`);
    return body;
  }

  [Symbol.dispose](): void {
    this.#pending?.promise.catch(() => {});
    this.#socket.destroy();
  }
}

function textOf({ method, path, headers, body = "" }: Request, host: string): string {
  const length = body === "" ? {} : { "content-length": String(Buffer.byteLength(body)) };
  const lines = Object.entries({ host, ...headers, ...length }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}
