/** Probes over the network, from the host to the pod's address, with Go's words for what goes wrong. */
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import type { Clock } from "@berg/kube";
import { type Container, type Handler, resolvePort } from "../containers/shapes.ts";
import { longestOutput, type ProbeOutcome } from "./outcome.ts";

const userAgent = "kube-probe/1.36";
const mostRedirects = 10;

type HttpGet = NonNullable<Handler["httpGet"]>;

export interface HttpTarget {
  url: URL;
  headers: Record<string, string>;
}

export function httpTarget(get: HttpGet, container: Container, podIP: string): HttpTarget {
  const port = resolvePort(get.port as string | number, container);
  const scheme = (get.scheme ?? "HTTP").toLowerCase();
  const url = new URL(`${scheme}://${get.host || podIP}:${port}`);
  const path = get.path ?? "/";
  const [pathname = "", search = ""] = splitOnce(path.startsWith("/") ? path : `/${path}`, "?");
  url.pathname = pathname;
  url.search = search;
  const headers: Record<string, string> = { "user-agent": userAgent, accept: "*/*", connection: "close" };
  for (const { name, value } of get.httpHeaders ?? []) headers[name.toLowerCase()] = value;
  return { url, headers };
}

/** 200 to 399 is well. A redirect is followed on the same host; one that leads elsewhere is well too, and is told. */
export async function httpProbe(
  target: HttpTarget,
  { clock, timeoutMs, signal }: { clock: Clock; timeoutMs: number; signal: AbortSignal },
): Promise<ProbeOutcome> {
  const late = new AbortController();
  const timer = clock.setTimer(timeoutMs, () => late.abort(new Error("late")));
  const either = AbortSignal.any([late.signal, signal]);
  let { url } = target;
  try {
    for (let redirects = 0; ; redirects++) {
      const { status, location, body } = await get(url, target.headers, either);
      const next = status >= 300 && status < 400 && location ? redirectTo(location, url) : undefined;
      if (next && next.hostname !== target.url.hostname)
        return { result: "warning", output: `Probe terminated redirects, Response body: ${body}` };
      if (next && redirects >= mostRedirects)
        return { result: "failure", output: `${goGet(target.url)}: stopped after ${mostRedirects} redirects` };
      if (next) {
        url = next;
        continue;
      }
      if (status >= 200 && status < 400) return { result: "success" };
      return { result: "failure", output: `HTTP probe failed with statuscode: ${status}` };
    }
  } catch (error) {
    signal.throwIfAborted();
    const why = late.signal.aborted
      ? "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
      : dialError(error, url.hostname, portOf(url));
    return { result: "failure", output: `${goGet(url)}: ${why}` };
  } finally {
    timer.cancel();
  }
}

function get(
  url: URL,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<{ status: number; location: string | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    // Whoever asks a pod whether it lives does not ask who it is.
    const options = { headers, agent: false as const, rejectUnauthorized: false, signal };
    const onAnswer = (answer: IncomingMessage) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const done = () => {
        const body = Buffer.concat(chunks).subarray(0, longestOutput).toString();
        resolve({ status: answer.statusCode ?? 0, location: answer.headers.location, body });
        answer.destroy();
      };
      answer.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size >= longestOutput) done();
      });
      answer.once("end", done);
      answer.once("error", reject);
    };
    const request =
      url.protocol === "https:" ? httpsRequest(url, options, onAnswer) : httpRequest(url, options, onAnswer);
    request.once("error", reject);
    request.end();
  });
}

/** Well where somebody takes the connection. */
export function tcpProbe(
  host: string,
  port: number,
  { clock, timeoutMs, signal }: { clock: Clock; timeoutMs: number; signal: AbortSignal },
): Promise<ProbeOutcome> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const socket = connect({ host, port });
    const end = (settle: () => void) => {
      timer.cancel();
      signal.removeEventListener("abort", onAbort);
      socket.destroy();
      settle();
    };
    const fail = (why: string) => end(() => resolve({ result: "failure", output: why }));
    const onAbort = () => end(() => reject(signal.reason));
    const timer = clock.setTimer(timeoutMs, () => fail(`dial tcp ${host}:${port}: i/o timeout`));
    signal.addEventListener("abort", onAbort, { once: true });
    socket.once("connect", () => end(() => resolve({ result: "success" })));
    socket.once("error", (error) => fail(dialError(error, host, port)));
  });
}

const goWords: Record<string, string> = {
  ECONNREFUSED: "connect: connection refused",
  EHOSTUNREACH: "connect: no route to host",
  ENETUNREACH: "connect: network is unreachable",
  ETIMEDOUT: "i/o timeout",
};

function dialError(error: unknown, host: string, port: number): string {
  const { code = "", message = "" } = error as { code?: string; message?: string };
  if (code === "ECONNRESET" || message === "socket hang up") return "EOF";
  return goWords[code] ? `dial tcp ${host}:${port}: ${goWords[code]}` : message;
}

function goGet(url: URL): string {
  return `Get "${url.href}"`;
}

function portOf(url: URL): number {
  return Number(url.port || (url.protocol === "https:" ? 443 : 80));
}

function redirectTo(location: string, from: URL): URL | undefined {
  return URL.canParse(location, from.href) ? new URL(location, from) : undefined;
}

function splitOnce(text: string, by: string): [string, string] {
  const at = text.indexOf(by);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at)];
}
