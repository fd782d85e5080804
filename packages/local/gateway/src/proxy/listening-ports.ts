/** The ports that are open. */
import { createServer, type Server, type Socket } from "node:net";

export interface ListeningPortsOptions {
  host: string;
  onConnection(socket: Socket, port: number): void;
}

/**
 * Whoever has closed their side may wait for the rest, or may have gone: both look the same from here. The kernel asks
 * now and then, and within two minutes those who have gone are found.
 */
const forClients = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 };

export class ListeningPorts {
  readonly #options: ListeningPortsOptions;
  readonly #servers = new Map<number, Server>();

  constructor(options: ListeningPortsOptions) {
    this.#options = options;
  }

  get open(): number[] {
    return [...this.#servers.keys()];
  }

  /** Opens and closes ports until these are open. Returns why some cannot be; ask again to try again. */
  async set(wanted: ReadonlySet<number>): Promise<Map<number, string>> {
    const problems = new Map<number, string>();
    for (const port of this.open) if (!wanted.has(port)) this.#close(port);
    for (const port of wanted) {
      if (this.#servers.has(port)) continue;
      try {
        this.#servers.set(port, await this.#listen(port));
      } catch (error) {
        problems.set(port, whyNot(error as NodeJS.ErrnoException, this.#options.host, port));
      }
    }
    return problems;
  }

  /** Connections that are open stay. */
  #close(port: number): void {
    const server = this.#servers.get(port);
    this.#servers.delete(port);
    server?.close();
  }

  #listen(port: number): Promise<Server> {
    const { host, onConnection } = this.#options;
    const server = createServer({ ...forClients, allowHalfOpen: true }, (socket) => onConnection(socket, port));
    return new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen({ host, port, backlog: 1024 }, () => {
        server.off("error", reject);
        // Too many open files: the next connection may fare better.
        server.on("error", () => {});
        resolve(server);
      });
    });
  }
}

export function whyNot({ code, message }: NodeJS.ErrnoException, host: string, port: number): string {
  if (code === "EADDRINUSE") return `port ${port} of ${host} is used by another process`;
  if (code === "EACCES") return `port ${port} needs more rights than this process has: use one above 1023`;
  if (code === "EADDRNOTAVAIL") return `this machine has no address ${host}`;
  return `port ${port} of ${host} cannot be opened: ${message}`;
}
