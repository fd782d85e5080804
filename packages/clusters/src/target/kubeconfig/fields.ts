/** Which fields of a kubeconfig are taken from somebody else, and why the others are not. */
import type { Mapping } from "./document.ts";
import { invalid, refused } from "./problem.ts";

const flatten = "`kubectl config view --flatten --minify --raw` does so";

/** By what they do to the process that uses them, or to what it trusts. */
const refusals: Readonly<Record<string, string>> = {
  exec: "it is a program to run: use a token or a client certificate instead",
  "auth-provider": "it asks somebody else for credentials: use a token or a client certificate instead",
  tokenFile: "it is a path on another machine: put the token itself into token",
  "client-certificate": `it is a path on another machine: put the certificate into client-certificate-data; ${flatten}`,
  "client-key": `it is a path on another machine: put the key into client-key-data; ${flatten}`,
  "certificate-authority": `it is a path on another machine: put the certificates into certificate-authority-data; ${flatten}`,
  "insecure-skip-tls-verify":
    "anybody could answer in the server's place: remove it, and set certificate-authority-data",
  "proxy-url": "remove it, and give a server that is reached directly",
  "tls-server-name": "remove it, and give a server by a name that its certificate has",
  as: "remove it, and use that user's own credentials",
  "as-uid": "remove it, and use that user's own credentials",
  "as-groups": "remove it, and use that user's own credentials",
  "as-user-extra": "remove it, and use that user's own credentials",
  username: "Kubernetes no longer knows passwords: use a token or a client certificate instead",
  password: "Kubernetes no longer knows passwords: use a token or a client certificate instead",
};

const taken = {
  cluster: ["server", "certificate-authority-data", "disable-compression", "extensions"],
  user: ["token", "client-certificate-data", "client-key-data", "extensions"],
  context: ["cluster", "user", "namespace", "extensions"],
} as const;

/** As in Kubernetes, `""`, `null` and `false` mean unset. */
export function refuseFields(entry: Mapping, what: string, kind: keyof typeof taken): void {
  const known: readonly string[] = taken[kind];
  for (const [field, value] of Object.entries(entry)) {
    if (isUnset(value) || value === false || known.includes(field)) continue;
    const why = Object.hasOwn(refusals, field) ? refusals[field] : undefined;
    if (why !== undefined) throw refused(`${what}.${field} is not allowed: ${why}`);
    // A name that is none may be a secret that was put in the wrong place.
    const name = /^[A-Za-z][A-Za-z-]{0,40}$/.test(field) ? `${what}.${field}` : `a field of ${what}`;
    throw refused(`${name} is not known: remove it`);
  }
}

export function textOf(entry: Mapping, field: string, what: string): string | undefined {
  const value = entry[field];
  if (isUnset(value)) return undefined;
  if (typeof value !== "string") throw invalid(`${what}.${field} is not text: put it in quotes`);
  return value;
}

function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}
