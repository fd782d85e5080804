/** All that carries bytes: ports, connections, HTTP and TLS, by a table that can be exchanged at any moment. */
import type { Socket } from "node:net";
import type { Clock, Logger, Random } from "@berg/kube";
import { emptyTable, type RoutingTable } from "../routing/table.ts";
import { CertificateContexts, type CertificateFor } from "./certificate-contexts.ts";
import type { EndpointsOf } from "./endpoints.ts";
import { HttpProxy } from "./http-proxy.ts";
import { defaultLimits, type Limits } from "./limits.ts";
import { ListeningPorts } from "./listening-ports.ts";
import { OpenConnections } from "./open-connections.ts";
import { TlsProxy } from "./tls-proxy.ts";

export interface ProxyOptions {
  host: string;
  endpointsOf: EndpointsOf;
  certificateFor?: CertificateFor | undefined;
  limits?: Partial<Limits> | undefined;
  clock: Clock;
  random: Random;
  log: Logger;
}

export class GatewayProxy {
  readonly connections: OpenConnections;
  readonly #ports: ListeningPorts;
  readonly #http: HttpProxy;
  readonly #tls: TlsProxy;
  #table = emptyTable;

  constructor(options: ProxyOptions) {
    const { endpointsOf, random, log, clock, host } = options;
    const limits = { ...defaultLimits, ...options.limits };
    const surroundings = { table: () => this.#table, endpointsOf, random, limits, clock };
    const contexts = new CertificateContexts(options.certificateFor);
    this.connections = new OpenConnections(limits, log);
    this.#http = new HttpProxy(surroundings);
    this.#tls = new TlsProxy({ ...surroundings, http: this.#http, contexts, log });
    this.#ports = new ListeningPorts({ host, onConnection: (socket, port) => this.#accept(socket, port) });
  }

  /** Opens what the table needs and closes what it does not. Returns why ports cannot be opened. */
  async use(table: RoutingTable): Promise<Map<number, string>> {
    this.#table = table;
    return this.#ports.set(new Set(table.ports.keys()));
  }

  async stop(): Promise<void> {
    await this.use(emptyTable);
    this.#http.close();
    this.connections.closeAll();
  }

  #accept(socket: Socket, port: number): void {
    if (!this.connections.admit(socket)) return;
    const table = this.#table.ports.get(port);
    const address = socket.remoteAddress?.replace(/^::ffff:/, "") ?? "";
    if (!table) socket.destroy();
    else if (table.secure) void this.#tls.take(socket, { port, address });
    else this.#http.take(socket, { port, address });
  }
}
