/** The same bare client for both servers: it keeps its connections, and reads answers without understanding them. */
import { Agent, request } from "node:https";
import type { Server } from "../instances/connect.ts";

export interface Call {
  method: string;
  path: string;
  body?: object;
  contentType?: string;
}

export class Caller {
  readonly #server: Server;
  readonly #agent: Agent;

  constructor(server: Server) {
    this.#server = server;
    this.#agent = new Agent({ keepAlive: true, ca: server.ca });
  }

  /** Resolves when the answer is here, with its length. */
  call({ method, path, body, contentType = "application/json" }: Call): Promise<number> {
    return new Promise((resolve, reject) => {
      const outgoing = request(`${this.#server.server}${path}`, {
        method,
        agent: this.#agent,
        headers: { authorization: `Bearer ${this.#server.token}`, "content-type": contentType },
      });
      outgoing.on("error", reject);
      outgoing.on("response", (incoming) => {
        let length = 0;
        let refusal = "";
        const isGood = (incoming.statusCode ?? 0) < 300;
        incoming.on("data", (chunk: Buffer) => {
          length += chunk.length;
          if (!isGood) refusal += chunk;
        });
        incoming.on("error", reject);
        incoming.on("end", () => {
          if (isGood) resolve(length);
          else reject(new Error(`${method} ${path}: ${incoming.statusCode} ${refusal}`));
        });
      });
      outgoing.end(body && JSON.stringify(body));
    });
  }

  /** On a connection of its own; resolves when it is open. Ends with `close`. */
  watch(path: string, onLine: (line: string) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const outgoing = request(`${this.#server.server}${path}`, {
        agent: this.#agent,
        headers: { authorization: `Bearer ${this.#server.token}` },
      });
      outgoing.on("error", reject);
      outgoing.on("response", (incoming) => {
        if (incoming.statusCode !== 200) reject(new Error(`watch ${path}: ${incoming.statusCode}`));
        let rest = "";
        incoming.setEncoding("latin1");
        incoming.on("data", (chunk: string) => {
          const lines = (rest + chunk).split("\n");
          rest = lines.pop() ?? "";
          for (const line of lines) onLine(line);
        });
        incoming.on("error", () => {});
        resolve();
      });
      outgoing.end();
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
