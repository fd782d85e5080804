/**
 * Handles a request: authenticate → take a slot → authorize → find the resource → answer. A refusal at any step is the
 * answer, as a Status; any other error is logged, and the client learns no more than that there was one.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Status, StatusError } from "@berg/apimachinery";
import { errorText, type Logger, stackOf } from "@berg/kube";
import type { User } from "../authentication/user.ts";
import { refused } from "../authorization/refused.ts";
import { internalError, methodNotAllowed, unauthorized } from "../errors/refusals.ts";
import type { Caller } from "../registry/verbs.ts";
import { parseRequest } from "../requests/parse-request.ts";
import type { RequestInfo } from "../requests/request-info.ts";
import { isPrintable } from "../requests/write-options.ts";
import { Exchange } from "./exchange.ts";
import type { InFlight } from "./in-flight.ts";
import type { ServerParts } from "./parts.ts";
import { answerResource } from "./resource-requests.ts";

const anonymous: User = { name: "system:anonymous", groups: ["system:unauthenticated"] };

export async function handle(
  parts: ServerParts,
  inFlight: InFlight,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let exchange: Exchange;
  try {
    exchange = new Exchange(request, response);
  } catch (error) {
    response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(statusOf(error)));
    return;
  }
  try {
    const info = parseRequest(exchange.method, exchange.address);
    const user = await authenticated(parts, exchange);
    using _slot = inFlight.enter(exchange, info, user);
    await answer(parts, exchange, info, parts.impersonate(user, exchange.headersDistinct, info));
  } catch (error) {
    await answerError(exchange, error, parts.log);
  }
}

async function answer(parts: ServerParts, exchange: Exchange, info: RequestInfo, user: User): Promise<void> {
  const { allowed, reason } = parts.authorize(user, info);
  if (!allowed) throw refused(user, info, reason);
  if (info.isResource) return answerResource({ parts, exchange, caller: callerOf(parts, exchange, info, user) }, info);
  if (await parts.answerPath(exchange)) return;
  if (exchange.method !== "GET" && exchange.method !== "HEAD") throw methodNotAllowed();
  await exchange.sendText(404, "404 page not found\n");
}

/** A client without credentials is the anonymous user, who may do next to nothing. */
async function authenticated(parts: ServerParts, exchange: Exchange): Promise<User> {
  const { headers, certificate } = exchange;
  const isAnonymous = headers.authorization === undefined && !certificate;
  const user = isAnonymous ? anonymous : await parts.authenticate({ headers, certificate });
  if (!user) throw unauthorized();
  return user;
}

function callerOf(parts: ServerParts, exchange: Exchange, info: RequestInfo, user: User): Caller {
  return {
    user,
    defaultManager: managerOf(exchange.headers["user-agent"]),
    signal: exchange.signal,
    warn: (text) => exchange.warnings.add(text),
    checkMayCreate() {
      const create = { ...info, verb: "create" } as RequestInfo;
      const { allowed, reason } = parts.authorize(user, create);
      if (!allowed) throw refused(user, create, reason);
    },
  };
}

/** `kubectl/v1.36.4 (linux/amd64) …` is kubectl. */
function managerOf(userAgent = ""): string {
  const name = [...(userAgent.split("/")[0] ?? "")].filter(isPrintable).join("");
  return Buffer.from(name)
    .subarray(0, 128)
    .toString()
    .replace(/\uFFFD+$/, "");
}

async function answerError(exchange: Exchange, error: unknown, log: Logger): Promise<void> {
  if (exchange.signal.aborted && exchange.hasBegun) return exchange.cut();
  const status = statusOf(error);
  if (!(error instanceof StatusError)) {
    const { method, address } = exchange;
    log.error({ method, path: address.path, error: errorText(error), stack: stackOf(error) }, "a request failed");
  }
  if (exchange.hasBegun) return exchange.cut();
  await exchange.sendStatus(status);
}

function statusOf(error: unknown): Status {
  if (error instanceof StatusError) return error.status;
  return internalError("the server could not answer this request; its log says why").status;
}
