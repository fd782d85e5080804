/**
 * `/api/events`: one JSON object `{type, message}` a text frame, as the original has it. A socket of our own pages is
 * identified by its cookie; one with another site's Origin is refused, and without an Origin the cookie is ignored, since
 * no browser leaves it out. An API key identifies it too, on the upgrade or in an `auth` message.
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { sleep } from "@berg/kube";
import proxyAddress from "@fastify/proxy-addr";
import type { FastifyInstance } from "fastify";
import { type RawData, WebSocket, WebSocketServer } from "ws";
import { isAdmin } from "../competition/rules.ts";
import type { ApiContext } from "../context.ts";
import { pathOf } from "../http/path.ts";
import { currentInstance } from "../instances/commands.ts";
import { findPlayerByKey } from "../players/store.ts";
import { ProblemError } from "../problems.ts";
import { bearerKey, isKey } from "../sessions/authenticate.ts";
import { cookieName } from "../sessions/cookie.ts";
import { findSession } from "../sessions/store.ts";
import type { ServerMessage } from "../wire.ts";
import { Heartbeat } from "./heartbeat.ts";
import type { Connection, Identity } from "./live-hub.ts";

const path = "/api/events";
const longestMessage = 16 * 1024;
/** Clients of the original send a token again at once where it was refused. */
const badTokenDelayMs = 1_000;

export function addEvents(app: FastifyInstance, context: ApiContext, trustedProxies: readonly string[]): void {
  const { hub, settings, clock } = context;
  // As Fastify computes `request.ip`; an upgrade does not pass through its routes.
  const isTrusted = proxyAddress.compile([...trustedProxies]);
  const server = new WebSocketServer({ noServer: true, maxPayload: longestMessage });
  const heartbeat = new Heartbeat(clock, hub, (connection) => answerIdentity(connection));
  app.get(path, { schema: { hide: true } }, () => {
    throw new ProblemError("invalid_request", "Open it as a WebSocket.");
  });
  app.server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => {});
    const { origin } = request.headers;
    const address = request.socket.remoteAddress === undefined ? "" : proxyAddress(request, isTrusted);
    if (pathOf(request.url) !== path) return refuse(socket, 404);
    if (origin !== undefined && origin !== settings.publicUrl) return refuse(socket, 403);
    if (!hub.hasRoom(address)) return refuse(socket, 429);
    identifyUpgrade(app, context, request).then(
      (identity) => {
        // Others may have come while the session was read.
        if (!hub.hasRoom(address)) return refuse(socket, 429);
        server.handleUpgrade(request, socket, head, (accepted) => {
          const connection = hub.add(accepted, address);
          heartbeat.add(connection);
          serve(context, connection, identity);
        });
      },
      () => refuse(socket, 503),
    );
  });
  app.addHook("preClose", async () => {
    heartbeat.stop();
    hub.stop();
    server.close();
  });
}

function refuse(socket: Duplex, status: number): void {
  // Destroyed as well: a client that never closes its side would hold the connection for ever.
  socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}

function identifyUpgrade(
  app: FastifyInstance,
  context: ApiContext,
  { headers }: IncomingMessage,
): Promise<Identity | undefined> {
  const { authorization } = headers;
  if (authorization !== undefined) return identifyByKey(context, bearerKey(authorization));
  const token = app.parseCookie(headers.cookie ?? "")[cookieName(context.settings.publicUrl)];
  if (headers.origin === undefined || token === undefined) return Promise.resolve(undefined);
  return unlessRevoked(context, async () => {
    const session = await findSession(context.db, token, context.clock.now());
    if (!session) return undefined;
    const { player, id: sessionId, expiresAt } = session;
    return { playerId: player.id, isAdmin: isAdmin(player), sessionId, expiresAt };
  });
}

async function identifyByKey(context: ApiContext, key: string | undefined): Promise<Identity | undefined> {
  if (key === undefined) return undefined;
  return unlessRevoked(context, async () => {
    const player = await findPlayerByKey(context.db, key);
    return player && { playerId: player.id, isAdmin: isAdmin(player) };
  });
}

/** Reads again where a session ended meanwhile: its sockets were closed, and this one was not among them yet. */
async function unlessRevoked<T>({ hub }: ApiContext, read: () => Promise<T>): Promise<T> {
  for (;;) {
    const { revocations } = hub;
    const found = await read();
    if (hub.revocations === revocations) return found;
  }
}

function serve(context: ApiContext, connection: Connection, identity: Identity | undefined): void {
  const { socket } = connection;
  const alive = () => {
    connection.isAlive = true;
  };
  const authenticate = authenticator(context, connection);
  socket.on("pong", alive);
  socket.on("error", () => socket.terminate());
  socket.on("message", (data: RawData) => {
    alive();
    // After a sign-out nothing is answered until the client has closed its side.
    if (socket.readyState !== WebSocket.OPEN) return;
    const { type, message } = readMessage(data);
    if (type === "ping") answer(connection, { type: "pong", message: isFlat(message) ? message : null });
    else if (type === "auth") authenticate(message);
    else if (type === "subscribe") subscribe(context, connection, message);
    else if (type !== undefined) {
      answer(connection, { type: "error", message: `there is no message of the type "${type}"` });
    }
  });
  if (identity) become(context, connection, identity);
}

function subscribe({ hub }: ApiContext, connection: Connection, message: unknown): void {
  const since = typeof message === "object" && message !== null && "since" in message ? message.since : undefined;
  if (since === null || typeof since === "string") {
    hub.subscribe(connection, since);
    return;
  }
  const text = 'subscribe needs {"since": the version of your last tick, or null}';
  answer(connection, { type: "error", message: text });
}

/** Handles `auth` messages one at a time. Of those that come meanwhile, the last one counts. */
function authenticator(context: ApiContext, connection: Connection): (message: unknown) => void {
  const { hub, clock, log } = context;
  let isBusy = false;
  let next: { message: unknown } | undefined;
  async function handle(message: unknown): Promise<void> {
    hub.identify(connection, undefined);
    if (message === null) return answerIdentity(connection);
    const identity = await identifyByKey(
      context,
      typeof message === "string" && isKey(message) ? message.toLowerCase() : undefined,
    );
    if (identity) return become(context, connection, identity);
    await sleep(clock, badTokenDelayMs);
    answerIdentity(connection);
  }
  return function authenticate(message) {
    if (isBusy) {
      next = { message };
      return;
    }
    isBusy = true;
    handle(message)
      .catch(() => {
        log.debug({}, "a socket could not be identified");
        answer(connection, { type: "error", message: "the token could not be checked; try again" });
      })
      .finally(() => {
        isBusy = false;
        const waiting = next;
        next = undefined;
        if (waiting) authenticate(waiting.message);
      });
  };
}

function become(context: ApiContext, connection: Connection, identity: Identity): void {
  context.hub.identify(connection, identity);
  answerIdentity(connection);
  currentInstance(context, identity.playerId).then(
    (message) => {
      if (connection.identity === identity) answer(connection, { type: "instance", message });
    },
    () => context.log.debug({}, "the instance could not be sent at the start of a connection"),
  );
}

function answerIdentity(connection: Connection): void {
  answer(connection, { type: "current-player", message: connection.identity?.playerId ?? null });
}

function answer({ socket }: Connection, message: ServerMessage): void {
  socket.send(JSON.stringify(message));
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
