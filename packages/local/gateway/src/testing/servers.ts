/** Real servers and clients on loopback. Everything that is opened here is closed by `closeAll`. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { silentLogger, systemClock } from "@berg/kube";
import type { CertificateFor } from "../proxy/certificate-contexts.ts";
import type { Endpoint } from "../proxy/endpoints.ts";
import type { Limits } from "../proxy/limits.ts";
import { GatewayProxy } from "../proxy/proxy.ts";
import { routingOf } from "../routing/routing.ts";
import { type Objects, stateOf } from "./objects.ts";

const closers: (() => unknown)[] = [];

export async function closeAll(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close();
}

export function onClose(close: () => unknown): void {
  closers.push(close);
}

export async function listening(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const open = new Set<Socket>();
  server.on("connection", (socket) => {
    open.add(socket);
    socket.on("error", () => {});
  });
  onClose(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

export function httpBackend(listener: RequestListener): Promise<number> {
  return listening(createServer(listener));
}

export function tcpBackend(listener: (socket: Socket) => void): Promise<number> {
  return listening(createTcpServer({ allowHalfOpen: true }, listener));
}

export async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

export interface TestProxyOptions {
  /** By `namespace/service`. */
  endpoints?: Record<string, number[]>;
  limits?: Partial<Limits>;
  certificateFor?: CertificateFor;
  random?: () => number;
}

export async function startProxy(objects: Objects, options: TestProxyOptions = {}): Promise<GatewayProxy> {
  const { endpoints = {}, limits, certificateFor, random = () => 0 } = options;
  const proxy = new GatewayProxy({
    host: "127.0.0.1",
    endpointsOf: ({ service }) => (endpoints[service] ?? []).map((port): Endpoint => ({ address: "127.0.0.1", port })),
    certificateFor,
    limits,
    clock: systemClock,
    random,
    log: silentLogger,
  });
  const problems = await proxy.use(routingOf(stateOf(objects)).table);
  if (problems.size > 0) throw new Error([...problems.values()].join());
  onClose(() => proxy.stop());
  return proxy;
}

export async function dial(port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  await once(socket, "connect");
  socket.on("error", () => {});
  onClose(() => socket.destroy());
  return socket;
}

/** All that comes until the other side ends or breaks off. */
export function everythingFrom(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    socket.on("data", (piece) => pieces.push(piece));
    const settle = () => resolve(Buffer.concat(pieces).toString("latin1"));
    socket.once("end", settle).once("close", settle);
  });
}

/** Sends these bytes, closes this side, and returns what came back. */
export async function exchange(port: number, text: string): Promise<string> {
  const socket = await dial(port);
  const answer = everythingFrom(socket);
  socket.end(text);
  return answer;
}
