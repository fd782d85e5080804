/** A control connection to the client proxy: TLS in which both sides have proved themselves, or an error that says why not. */
import { connect, type TLSSocket } from "node:tls";
import { type Clock, errorText } from "@berg/kube/process";
import type { KeyAndCertificate } from "@berg/local-certificates";
import { isPeer, pairTls } from "../pair/certificate.ts";
import type { ClientProxyPeer } from "./peer.ts";

const dialMs = 5_000;

export function dial(
  peer: ClientProxyPeer,
  own: KeyAndCertificate,
  clock: Clock,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const { address: host, controlPort: port } = peer;
  return new Promise((resolve, reject) => {
    const socket = connect({
      ...pairTls(own, peer),
      host,
      port,
      ALPNProtocols: ["h2"],
      rejectUnauthorized: true,
      // It is known by its certificate, byte by byte, wherever it is.
      checkServerIdentity: () => undefined,
    });
    const fail = (why: string) => {
      socket.destroy();
      reject(new Error(`cannot reach the client proxy at ${host}:${port}: ${why}`));
    };
    const timer = clock.setTimer(dialMs, () => fail(`no answer in ${dialMs / 1_000} s`));
    const onAbort = () => fail("told to stop");
    signal.addEventListener("abort", onAbort, { once: true });
    socket.on("close", () => {
      timer.cancel();
      signal.removeEventListener("abort", onAbort);
    });
    socket.on("error", (error) => fail(whyNot(error)));
    socket.on("secureConnect", () => {
      timer.cancel();
      if (!isPeer(socket, peer)) return fail("it has another certificate than the client proxy of this pair");
      socket.setNoDelay(true);
      resolve(socket);
    });
  });
}

function whyNot(error: NodeJS.ErrnoException): string {
  if (error.code === "ECONNREFUSED") return "connection refused";
  // OpenSSL has a word for each way in which a certificate is not the trusted one.
  if (/CERT|SIGNATURE|ISSUER/.test(error.code ?? ""))
    return "it has another certificate than the client proxy of this pair";
  return errorText(error);
}
