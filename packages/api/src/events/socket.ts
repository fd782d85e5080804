/**
 * `/api/events`: one JSON object `{type, message}` a text frame, as the original has it. A socket of our own pages is
 * identified by its cookie; one with another site's Origin is refused, and without an Origin the cookie is ignored, since
 * no browser leaves it out.
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { FastifyInstance } from "fastify";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import type { ApiContext } from "../context.ts";
import { pathOf } from "../http/path.ts";
import { currentInstance } from "../instances/commands.ts";
import { ProblemError } from "../problems.ts";
import { cookieName } from "../sessions/authenticate.ts";
import { findSession, type Session } from "../sessions/store.ts";
import type { ServerMessage } from "../wire.ts";

const path = "/api/events";
const longestMessage = 16 * 1024;
/** Longer than that without an answer, and a connection is dead; the network itself would notice after a quarter of an hour. */
const heartbeatMs = 30_000;

export function addEvents(app: FastifyInstance, context: ApiContext): void {
  const server = new WebSocketServer({ noServer: true, maxPayload: longestMessage });
  app.get(path, { schema: { hide: true } }, () => {
    throw new ProblemError("invalid_request", "Open it as a WebSocket.");
  });
  app.server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => {});
    const { origin } = request.headers;
    if (pathOf(request.url) !== path) return refuse(socket, 404);
    if (origin !== undefined && origin !== context.settings.publicUrl) return refuse(socket, 403);
    identify(app, context, request).then(
      (session) => server.handleUpgrade(request, socket, head, (accepted) => serve(context, accepted, session)),
      () => refuse(socket, 503),
    );
  });
  app.addHook("preClose", async () => {
    context.hub.stop();
    server.close();
  });
}

function refuse(socket: Duplex, status: number): void {
  // Destroyed as well: a client that never closes its side would hold the connection for ever.
  socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}

async function identify(
  app: FastifyInstance,
  { settings, db, clock }: ApiContext,
  { headers }: IncomingMessage,
): Promise<Session | undefined> {
  if (headers.origin === undefined) return undefined;
  const token = app.parseCookie(headers.cookie ?? "")[cookieName(settings.publicUrl)];
  return token === undefined ? undefined : findSession(db, token, clock.now());
}

function serve(context: ApiContext, socket: WebSocket, session: Session | undefined): void {
  const { hub, clock, log } = context;
  const playerId = session?.player.id;
  // The page connects again, without a session.
  const expiry =
    session && clock.setTimer(session.expiresAt - clock.now(), () => socket.close(1008, "session expired"));
  hub.add(socket, playerId);
  const answer = (message: ServerMessage) => socket.send(JSON.stringify(message));
  let isAlive = true;
  let heartbeat = clock.setTimer(heartbeatMs, beat);
  function beat(): void {
    if (!isAlive) {
      socket.terminate();
      return;
    }
    isAlive = false;
    socket.ping();
    heartbeat = clock.setTimer(heartbeatMs, beat);
  }
  socket.on("pong", () => {
    isAlive = true;
  });
  socket.on("close", () => {
    heartbeat.cancel();
    expiry?.cancel();
  });
  socket.on("error", () => socket.terminate());
  socket.on("message", (data: RawData) => {
    isAlive = true;
    const { type, message } = readMessage(data);
    if (type === "ping") answer({ type: "pong", message: isFlat(message) ? message : null });
    // The cookie has identified it already; keys of the API come later.
    else if (type === "auth") answer({ type: "current-player", message: playerId ?? null });
    else if (type !== undefined) answer({ type: "error", message: `there is no message of the type "${type}"` });
  });
  if (playerId === undefined) return;
  answer({ type: "current-player", message: playerId });
  currentInstance(context, playerId).then(
    (message) => answer({ type: "instance", message }),
    () => log.debug({}, "the instance could not be sent at the start of a connection"),
  );
}

/** What is nested can be deeper than `JSON.stringify` can write, which would end the process. */
function isFlat(message: unknown): boolean {
  return (
    typeof message !== "object" || message === null || Object.values(message).every((one) => typeof one !== "object")
  );
}

/** Both keys are required; what is not such an object is ignored. */
function readMessage(data: RawData): { type?: string; message?: unknown } {
  try {
    const read: unknown = JSON.parse(data.toString());
    if (typeof read !== "object" || read === null || !("type" in read) || !("message" in read)) return {};
    const { type, message } = read;
    return typeof type === "string" ? { type: type.slice(0, 64), message } : {};
  } catch {
    return {};
  }
}
