/**
 * Requests for a WebSocket go the same way as all others, so that they are refused in the same words; only who is let in
 * gets one.
 */
import { type IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";

const messageBytes = 4 << 20;

interface Connection {
  socket: Duplex;
  head: Buffer;
}

const connections = new WeakMap<IncomingMessage, Connection>();

/** For Node, which otherwise takes the connection away from requests that want anything else. */
export function wantsWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === "websocket";
}

/** An answer like any other, for as long as the connection is not a WebSocket. */
export function responseOn(request: IncomingMessage, socket: Duplex, head: Buffer): ServerResponse {
  const response = new ServerResponse(request);
  connections.set(request, { socket, head });
  socket.on("error", () => socket.destroy());
  socket.once("close", () => response.destroyed || response.destroy());
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Parameters<ServerResponse["assignSocket"]>[0]);
  response.once("finish", () => socket.end());
  return response;
}

export function offersProtocol(request: IncomingMessage, protocol: string): boolean {
  const offered = request.headers["sec-websocket-protocol"] ?? "";
  return connections.has(request) && offered.split(",").some((one) => one.trim() === protocol);
}

export function upgradeTo(protocol: string, request: IncomingMessage, response: ServerResponse): Promise<WebSocket> {
  const connection = connections.get(request);
  if (!connection) throw new TypeError("this request did not ask for a WebSocket");
  const { socket, head } = connection;
  response.detachSocket(socket as Parameters<ServerResponse["detachSocket"]>[0]);
  const server = new WebSocketServer({
    noServer: true,
    handleProtocols: () => protocol,
    maxPayload: messageBytes,
    perMessageDeflate: false,
  });
  return new Promise((resolve, reject) => {
    socket.once("close", () => reject(new Error("the client has gone")));
    server.handleUpgrade(request, socket, head, resolve);
  });
}
