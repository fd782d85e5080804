/** A request and its answer on their way: piece by piece as they come, and no faster than the other side takes them. */
import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from "node:http";
import { pageTexts } from "../vocabulary.ts";
import { NoEndpoint } from "./connect.ts";
import type { EndpointAgent, EndpointRequest } from "./endpoint-agent.ts";
import { missingLength, type RawHeaders, responseHeaders } from "./headers.ts";
import type { Limits } from "./limits.ts";
import type { Onward } from "./onward.ts";
import { type Page, startingPage, textPage } from "./pages.ts";

export function forward(
  incoming: IncomingMessage,
  answer: ServerResponse,
  onward: Onward,
  { agent, limits }: { agent: EndpointAgent; limits: Limits },
): void {
  const headers = [...onward.headers, ...bodyHeaders(incoming)];
  let outgoing: ClientRequest;
  try {
    outgoing = request({ ...onward, headers, agent, maxHeaderSize: limits.headerBytes } as EndpointRequest);
  } catch {
    // What Node reads and what it writes are not quite the same.
    sendPage(incoming, answer, textPage(400, pageTexts.badRequest));
    return;
  }
  limitInterim(outgoing, limits);
  outgoing.once("continue", () => answer.writeContinue());
  outgoing.on("response", (response) => relay(response, answer));
  outgoing.on("timeout", () => outgoing.destroy());
  outgoing.on("error", (error) => {
    if (error instanceof NoEndpoint) sendPage(incoming, answer, startingPage(incoming.headers.accept));
    // Broken off in the middle; or a kept connection that was closed while the request was on its way. As without us,
    // the client sees its own connection end, and knows by the rules of HTTP whether to ask again. We do not know what
    // was done.
    else if (answer.headersSent || outgoing.reusedSocket) answer.destroy();
    else sendPage(incoming, answer, textPage(502, pageTexts.badGateway));
  });
  // The client has gone: nobody waits for the rest.
  answer.once("close", () => {
    if (!answer.writableFinished) outgoing.destroy();
  });
  incoming.pipe(outgoing);
}

/** Ends a request whose endpoint sends 1xx responses without end: each costs this thread, which all players share. */
export function limitInterim(outgoing: ClientRequest, { interimResponses }: Limits): void {
  let count = 0;
  outgoing.on("information", () => {
    if (++count > interimResponses) outgoing.destroy(new Error("there are too many interim responses"));
  });
}

/** That the body comes in chunks; or, of methods for which Node would else announce one, that there is none. */
function bodyHeaders({ method = "GET", headers, rawHeaders }: IncomingMessage): string[] {
  if (headers["transfer-encoding"] !== undefined) return ["Transfer-Encoding", "chunked"];
  return missingLength(method, rawHeaders);
}

function relay(response: IncomingMessage, answer: ServerResponse): void {
  const { statusCode = 502, statusMessage = "", rawHeaders } = response;
  try {
    answer.writeHead(statusCode, statusMessage, responseHeaders(rawHeaders));
  } catch {
    // A status or a field that may not stand in an answer.
    response.destroy();
    answer.destroy();
    return;
  }
  // Before the pipe ends the answer. Those of a request are dropped: a server might take them for fields that are ours.
  response.once("end", () => answer.addTrailers(pairsOf(response.rawTrailers)));
  response.pipe(answer);
  // The first bytes of the body may be long in coming, and the client wants to know that it was heard. Those that came
  // with the head go on with it, in one piece.
  process.nextTick(() => {
    if (!response.readableDidRead) answer.flushHeaders();
  });
  // An answer that breaks off must not look like one that is complete.
  response.once("error", () => answer.destroy());
}

function pairsOf(raw: RawHeaders): [string, string][] {
  return raw.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, raw[at + 1] ?? ""]] : []));
}

export function sendPage(incoming: IncomingMessage, answer: ServerResponse, { status, headers, body }: Page): void {
  // What else the client wanted to send is not read.
  const hasBody = incoming.headers["transfer-encoding"] !== undefined || Number(incoming.headers["content-length"]) > 0;
  answer.writeHead(status, { ...headers, ...(hasBody && { Connection: "close" }) });
  answer.end(body);
}
