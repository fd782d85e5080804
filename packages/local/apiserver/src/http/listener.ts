/** The TLS listener: takes connections, gives up on those that dawdle, and ends them all when it is stopped. */
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type Clock, ConfigurationError } from "@berg/kube";
import { handle } from "./handle.ts";
import { InFlight } from "./in-flight.ts";
import { limits as usualLimits } from "./limits.ts";
import type { ServerParts } from "./parts.ts";
import { responseOn, wantsWebSocket } from "./upgrades.ts";

export interface TlsIdentity {
  /** PEM, all of them. */
  key: string;
  certificate: string;
  /** Whose client certificates are believed. */
  clientCa: string;
}

export interface ListenerOptions {
  host: string;
  /** 0 for any that is free. */
  port: number;
  tls: TlsIdentity;
  limits?: Partial<Record<keyof typeof usualLimits, number>>;
}

export interface Listener {
  readonly port: number;
  /** Ends watches, waits for the answers under way, and cuts off what is not done by then. */
  stop(deadlineMs: number): Promise<void>;
}

export async function listen(parts: ServerParts, options: ListenerOptions): Promise<Listener> {
  const { host, port, tls } = options;
  const limits = { ...usualLimits, ...options.limits };
  const inFlight = new InFlight(limits);
  const server = createServer({
    key: tls.key,
    cert: tls.certificate,
    ca: tls.clientCa,
    requestCert: true,
    // Whoever has none, or another one, may still have a token.
    rejectUnauthorized: false,
    minVersion: "TLSv1.2",
    ALPNProtocols: ["http/1.1"],
    handshakeTimeout: limits.headersMs,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.min(5_000, limits.headersMs),
    maxHeaderSize: limits.headerBytes,
    noDelay: true,
    shouldUpgradeCallback: wantsWebSocket,
  });
  server.maxConnections = limits.connections;
  let isStopping = false;
  // Node counts a connection as idle only after its first request; until then nothing would close it.
  const silent = new Set<Duplex>();
  server.on("secureConnection", (socket) => {
    if (isStopping) return socket.destroy();
    silent.add(socket);
    socket.once("close", () => silent.delete(socket));
  });
  server.on("request", (request, response) => {
    silent.delete(request.socket);
    // A connection that waits for its next request is not closed by itself.
    response.on("close", () => isStopping && setImmediate(() => server.closeIdleConnections()));
    void handle(parts, inFlight, request, response);
  });
  server.on("upgrade", (request, socket, head) => {
    silent.delete(socket);
    void handle(parts, inFlight, request, responseOn(request, socket, head));
  });
  await new Promise<void>((resolve, reject) => {
    const fail = (error: Error) => reject(cannotListen(error, host, port));
    server.once("error", fail);
    server.listen(port, host, () => {
      server.off("error", fail);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    stop: async (deadlineMs) => {
      isStopping = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      inFlight.end();
      for (const socket of silent) socket.destroy();
      await within(parts.clock, deadlineMs, closed);
      server.closeAllConnections();
      await closed;
    },
  };
}

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const remedy = remedies[error.code ?? ""];
  if (!remedy) return error;
  return new ConfigurationError(`cannot listen on ${host}:${port}: ${remedy} (${error.code})`);
}

const noSuchName = "no address has that name; 127.0.0.1 is always there";

const remedies: Record<string, string> = {
  EADDRINUSE: "another process does; stop it, or choose another port (0 for any that is free)",
  EACCES: "ports below 1024 are root's; choose a higher one",
  EADDRNOTAVAIL: "this machine does not have that address; 127.0.0.1 is always there",
  ENOTFOUND: noSuchName,
  EAI_AGAIN: noSuchName,
};

async function within(clock: Clock, deadlineMs: number, work: Promise<void>): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = clock.setTimer(deadlineMs, resolve);
    void work.then(() => {
      timer.cancel();
      resolve();
    });
  });
}
