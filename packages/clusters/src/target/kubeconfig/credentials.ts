import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import type { Mapping } from "./document.ts";
import { textOf } from "./fields.ts";
import type { Access } from "./kubeconfig.ts";
import { invalid, refused } from "./problem.ts";

const certificateBlocks = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const mostCertificates = 50;
const mostKeyBits = 8192;

export function readCredentials(user: Mapping, what: string): Pick<Access, "credentials" | "expiresAt"> {
  const token = textOf(user, "token", what);
  const certificate = textOf(user, "client-certificate-data", what);
  const key = textOf(user, "client-key-data", what);
  if (token !== undefined && (certificate ?? key) !== undefined) {
    throw refused(`${what} has a token and a client certificate: keep one of them`);
  }
  if (token !== undefined) {
    if (!/^[\x21-\x7e]{1,16384}$/.test(token)) throw invalid(`${what}.token has spaces or line breaks, or is too long`);
    return { credentials: { token }, expiresAt: endOfToken(token) };
  }
  if (certificate === undefined || key === undefined) {
    throw invalid(`${what} has neither a token nor client-certificate-data with client-key-data: set one of them`);
  }
  const cert = readCertificates(certificate, `${what}.client-certificate-data`);
  const pair = { cert, key: readKey(key, `${what}.client-key-data`) };
  if (!fit(pair)) throw invalid(`${what}.client-key-data is not the key of its client-certificate-data`);
  return { credentials: pair, expiresAt: Date.parse(new X509Certificate(cert).validTo) };
}

/** Certificates and nothing else: a CA is handed on to others, and a key beside it would go with it. */
export function readCertificates(base64: string, field: string): string {
  const blocks = decode(base64, field).match(certificateBlocks) ?? [];
  if (blocks.length === 0) throw invalid(`${field} holds no certificate in PEM form`);
  if (blocks.length > mostCertificates) throw refused(`${field} holds more than ${mostCertificates} certificates`);
  for (const block of blocks) {
    try {
      new X509Certificate(block);
    } catch {
      throw invalid(`${field} holds a certificate that cannot be read`);
    }
  }
  return `${blocks.join("\n")}\n`;
}

function readKey(base64: string, field: string): string {
  const key = parseKey(decode(base64, field));
  if (!key) throw invalid(`${field} is not a private key in PEM form without a passphrase`);
  // Each connection signs with it, and everybody else waits: with 16384 bits that is seconds.
  if ((key.asymmetricKeyDetails?.modulusLength ?? 0) > mostKeyBits) {
    throw refused(`${field} is a key of more than ${mostKeyBits} bits: use a shorter one`);
  }
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

function parseKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

function decode(base64: string, field: string): string {
  const encoded = base64.replace(/\s/g, "");
  if (encoded.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) throw invalid(`${field} is not base64`);
  return Buffer.from(encoded, "base64").toString("utf8");
}

/** TLS can use the two together. Found out here, since at the handshake the error names neither. */
function fit(pair: { cert: string; key: string }): boolean {
  try {
    createSecureContext(pair);
    return true;
  } catch {
    return false;
  }
}

/** What a token of Kubernetes says of itself; nobody is asked whether it is true. */
function endOfToken(token: string): number | undefined {
  try {
    const payload: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
    const { exp } = payload as { exp?: unknown };
    return typeof exp === "number" && Number.isSafeInteger(exp) && exp > 0 && exp < 1e11 ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}
