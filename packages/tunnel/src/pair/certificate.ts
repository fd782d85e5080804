/**
 * By what the two proxies of a pair know each other: each makes a key and a certificate when it starts, which live and
 * die in its memory, and trusts the other's certificate alone. There is no CA whose key could be stolen: the one that
 * signs a certificate is made for it and forgotten at once, but for its own certificate, which TLS asks for.
 */
import { timingSafeEqual, X509Certificate } from "node:crypto";
import type { SecureContextOptions, TLSSocket } from "node:tls";
import { type Clock, ConfigurationError } from "@berg/kube/process";
import { issueCertificate, type KeyAndCertificate, makeCa } from "@berg/local-certificates";

const day = 24 * 3600_000;
// A pair is not told of a new certificate as long as it lives, so that it must outlive any competition.
const validDays = 3650;

/** Of the other proxy. */
export interface Peer {
  certificate: X509Certificate;
  /** It and the CA's, as PEM. */
  chain: string;
}

/** The client proxy is the server of TLS, since it is the one that is dialled. */
export function makeProxyCertificate(proxy: "client proxy" | "server proxy", clock: Clock): KeyAndCertificate {
  const from = clock.now() - day;
  const until = clock.now() + validDays * day;
  const forgotten = makeCa("berg tunnel", from, until);
  const usage = proxy === "client proxy" ? "server" : "client";
  const subject = { commonName: `berg tunnel ${proxy}` };
  const { key, certificate } = issueCertificate(forgotten, { subject, usage, from, until });
  return { key, certificate: certificate + forgotten.certificate };
}

/** `where` says in the text of the error what holds something else. */
export function readPeer(chain: string, where: string): Peer {
  try {
    // Of several it reads the first.
    return { certificate: new X509Certificate(chain), chain };
  } catch {
    throw new ConfigurationError(`${where} is no certificate in PEM ("-----BEGIN CERTIFICATE-----…")`);
  }
}

/** Both sides prove themselves, and nobody but the peer can. */
export function pairTls(own: KeyAndCertificate, { chain }: Peer): SecureContextOptions {
  return { key: own.key, cert: own.certificate, ca: chain, minVersion: "TLSv1.3" };
}

/** OpenSSL has found that it may be trusted; this makes sure that nothing but the very certificate was meant. */
export function isPeer(socket: TLSSocket, { certificate }: Peer): boolean {
  const shown = socket.getPeerX509Certificate()?.raw;
  return shown?.length === certificate.raw.length && timingSafeEqual(shown, certificate.raw);
}
