/** Both sides of the streams in one process, on loopback, with what the control plane would do between them. */
import { randomBytes } from "node:crypto";
import { type Clock, type Logger, silentLogger, systemClock } from "@berg/kube";
import { ClientStreams } from "../client-streams.ts";
import type { Endpoint, Session, StreamFailure, TunnelLimits } from "../contract.ts";
import { ServerStreams } from "../server-streams.ts";

export const host = "127.0.0.1";
export const noLimits: TunnelLimits = { streams: 0, bytesPerSecond: 0, idleSeconds: 0 };

export interface PairOptions {
  poolSize?: number;
  waitMs?: number;
  mostUnauthenticated?: number;
  /** Whether data connections from this address are let in; all are where it is left out. */
  isInside?: (address: string) => boolean;
  clock?: Clock;
  log?: Logger;
  /** Without it no data connection is made until `renewSession`. */
  withoutSession?: boolean;
}

export interface Pair extends AsyncDisposable {
  client: ClientStreams;
  server: ServerStreams;
  dataPort: number;
  failures: StreamFailure[];
  /** How many data connections were asked for, each time. */
  wanted: number[];
  /** As after a new control connection. */
  renewSession(): Session;
  /** A tunnel to this port; the port that clients connect to. */
  tunnel(serverPort: number, options?: { id?: number; host?: string; limits?: Partial<TunnelLimits> }): Promise<number>;
}

export async function startPair(options: PairOptions = {}): Promise<Pair> {
  const { clock = systemClock, log = silentLogger, poolSize, waitMs, mostUnauthenticated, withoutSession } = options;
  const failures: StreamFailure[] = [];
  const wanted: number[] = [];
  const client = new ClientStreams({
    dataAddress: host,
    dataPort: 0,
    isInside: options.isInside ?? (() => true),
    clock,
    log,
    ...(waitMs !== undefined && { waitMs }),
    ...(mostUnauthenticated !== undefined && { mostUnauthenticated }),
  });
  const server = new ServerStreams({
    clock,
    log,
    onStreamFailed: (failure) => failures.push(failure),
    ...(poolSize !== undefined && { poolSize }),
  });
  client.onConnectionsWanted = (count) => {
    wanted.push(count);
    server.wanted(count);
  };
  const { dataPort } = await client.start();
  const endpoint: Endpoint = { host, port: dataPort };
  let sessions = 0;
  const renewSession = () => {
    const session = { id: ++sessions, key: randomBytes(32) };
    client.useSession(session);
    server.useSession(session, endpoint);
    return session;
  };
  if (!withoutSession) renewSession();
  return {
    client,
    server,
    dataPort,
    failures,
    wanted,
    renewSession,
    async tunnel(serverPort, { id = 1, host: serverHost = host, limits } = {}) {
      const name = `tunnel-${id}`;
      server.setTunnel({ id, name, host: serverHost, port: serverPort });
      const opened = await client.open({ id, name, address: host, port: 0, limits: { ...noLimits, ...limits } });
      return opened.port;
    },
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}
