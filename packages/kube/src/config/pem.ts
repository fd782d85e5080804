import { X509Certificate } from "node:crypto";
import { createSecureContext } from "node:tls";
import { ConfigurationError } from "./configuration-error.ts";
import type { Entry } from "./entry.ts";
import { readText } from "./files.ts";

/** Certificates or a key: given in place, or in a file that is read anew each time, since it may be rotated. */
export type Pem = { what: string } & ({ data: string } | { file: string });

export interface ClientCertificate {
  cert: string;
  key: string;
}

/** The two ways a kubeconfig gives one: `pemOf(user, "client-key")` looks at `client-key` and `client-key-data`. */
export function pemOf(entry: Entry, field: string): Pem | undefined {
  const data = entry.base64(`${field}-data`);
  const file = entry.path(field);
  if (data !== undefined && file !== undefined) {
    throw entry.wrong(`has both ${field} and ${field}-data: remove one`);
  }
  if (data !== undefined) return { what: `${field}-data of ${entry.what}`, data };
  if (file !== undefined) return { what: `${field} of ${entry.what}`, file };
  return undefined;
}

export async function readCertificates(pem: Pem, signal?: AbortSignal): Promise<string> {
  const text = await read(pem, signal);
  try {
    // OpenSSL takes a CA bundle without a certificate in silence, and then trusts no server.
    new X509Certificate(text);
  } catch {
    throw new ConfigurationError(`${placeOf(pem)} holds no certificate in PEM form`);
  }
  return text;
}

export async function readClientCertificate(
  pair: { cert: Pem; key: Pem },
  signal?: AbortSignal,
): Promise<ClientCertificate> {
  const [cert, key] = await Promise.all([readCertificates(pair.cert, signal), read(pair.key, signal)]);
  if (!fits({ cert, key })) {
    throw new ConfigurationError(
      `${placeOf(pair.key)} is not the private key, in PEM form and without a passphrase, of ${placeOf(pair.cert)}`,
    );
  }
  return { cert, key };
}

/** TLS can use the two together. Found out here, since at the handshake the error names neither. */
export function fits(pair: ClientCertificate): boolean {
  try {
    createSecureContext(pair);
    return true;
  } catch {
    return false;
  }
}

function read(pem: Pem, signal: AbortSignal | undefined): Promise<string> | string {
  return "data" in pem ? pem.data : readText(pem.file, pem.what, signal);
}

function placeOf(pem: Pem): string {
  return "data" in pem ? pem.what : `${pem.file} (${pem.what})`;
}
