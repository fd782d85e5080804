/** WebSockets: a request that turns its connection into a pipe for bytes, if whoever stands behind agrees. */
import { type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import type { Clock, Random } from "@berg/kube";
import { pageTexts } from "../vocabulary.ts";
import { connectToAny, NoEndpoint } from "./connect.ts";
import { limitInterim } from "./forward.ts";
import { responseHeaders, writtenHead } from "./headers.ts";
import { join } from "./join.ts";
import { lastWords } from "./last-words.ts";
import type { Limits } from "./limits.ts";
import type { Onward } from "./onward.ts";
import { startingPage, textPage, writtenPage } from "./pages.ts";

/** Others are answered as if they had not asked for an upgrade: to h2c, which would hide requests from us, or with a body. */
export function isWebSocket({ method, headers }: Pick<IncomingMessage, "method" | "headers">): boolean {
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
  return method === "GET" && headers.upgrade?.toLowerCase() === "websocket" && !hasBody;
}

/** Takes over the client's connection. `head` is what came after the request already. */
export async function forwardUpgrade(
  incoming: IncomingMessage,
  client: Socket,
  head: Buffer,
  onward: Onward,
  options: { random: Random; limits: Limits; clock: Clock },
): Promise<void> {
  const { random, limits } = options;
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  client.once("close", leave);
  let upstream: Socket;
  try {
    const { connectMs } = limits;
    upstream = await connectToAny(onward.endpoints, { random, connectMs, allowHalfOpen: true, signal: leaving.signal });
  } catch (error) {
    if (error instanceof NoEndpoint) lastWords(client, options).end(writtenPage(startingPage(incoming.headers.accept)));
    return;
  }
  let answered = false;
  const outgoing = request({
    ...onward,
    headers: [...onward.headers, "Connection", "Upgrade", "Upgrade", incoming.headers.upgrade ?? ""],
    maxHeaderSize: limits.headerBytes,
    createConnection: () => upstream,
  });
  limitInterim(outgoing, limits);
  const drop = () => upstream.destroy();
  client.once("close", drop);
  upstream.setTimeout(limits.idleMs, drop);
  outgoing.once("upgrade", (response, _, early) => {
    answered = true;
    client.off("close", drop);
    upstream.setTimeout(0);
    const { statusMessage, rawHeaders } = response;
    client.write(writtenHead(`HTTP/1.1 101 ${statusMessage}`, rawHeaders));
    if (early.length > 0) client.write(early);
    if (head.length > 0) upstream.write(head);
    join(client, upstream, limits);
  });
  outgoing.once("response", (response) => {
    answered = true;
    refuse(response, lastWords(client, options));
  });
  outgoing.on("error", () => {
    if (answered) client.destroy();
    else lastWords(client, options).end(writtenPage(textPage(502, pageTexts.badGateway)));
    answered = true;
  });
  outgoing.end();
}

/** No upgrade: the answer goes back, and with it the connection ends, since what follows was not meant as requests. */
function refuse(response: IncomingMessage, client: Socket): void {
  const { statusCode, statusMessage, rawHeaders } = response;
  const headers = [...responseHeaders(rawHeaders), "Connection", "close"];
  client.write(writtenHead(`HTTP/1.1 ${statusCode} ${statusMessage}`, headers));
  response.once("error", () => client.destroy());
  response.pipe(client);
}
