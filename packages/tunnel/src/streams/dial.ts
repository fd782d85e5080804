/** A connection to somewhere, or why there is none, in words for whoever named the place. */
import { connect, type Socket } from "node:net";
import type { Endpoint } from "./contract.ts";
import { Lookups } from "./lookup.ts";
import { ignoreError, socketOptions } from "./sockets.ts";

const connectMs = 10_000;
const { lookup } = new Lookups();

/** One of the two is called, once; neither where the socket is destroyed before. A name is looked up each time. */
export function dial(to: Endpoint, onConnected: () => void, onFailed: (why: string) => void): Socket {
  const socket = connect({ ...socketOptions, host: to.host, port: to.port, lookup });
  const settle = () => socket.off("error", onError).off("timeout", onTimeout).setTimeout(0);
  const onError = (error: NodeJS.ErrnoException) => {
    settle();
    onFailed(failureText(error.code, to));
  };
  const onTimeout = () => {
    settle();
    socket.destroy();
    onFailed(failureText("ETIMEDOUT", to));
  };
  socket.on("error", ignoreError).on("error", onError).on("timeout", onTimeout).setTimeout(connectMs);
  socket.once("connect", () => {
    settle();
    onConnected();
  });
  return socket;
}

export function failureText(code: string | undefined, { host, port }: Endpoint): string {
  const where = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  switch (code) {
    case "ECONNREFUSED":
      return `connection refused by ${where}`;
    case "ECONNRESET":
      return `connection reset by ${where}`;
    case "ETIMEDOUT":
      return `no answer from ${where} within ${connectMs / 1000} s`;
    case "ENOTFOUND":
      return `the name ${host} is not known`;
    case "EAI_AGAIN":
      return `the name ${host} cannot be looked up at the moment`;
    case "EHOSTUNREACH":
    case "ENETUNREACH":
      return `no route to ${where}`;
    case "EMFILE":
    case "ENFILE":
      return `cannot connect to ${where}: too many files are open`;
    default:
      return `cannot connect to ${where}: ${code ?? "no reason is given"}`;
  }
}
