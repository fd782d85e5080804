/** Who may talk to the API server, the files that say so, and their connections. */
import { generateKeyPairSync, randomBytes } from "node:crypto";
import type { Connection } from "@berg/kube";

export interface User {
  readonly name: string;
  readonly token: string;
  readonly groups: readonly string[];
}

export function userWithNewToken(name: string, groups: readonly string[] = []): User {
  return { name, groups, token: randomBytes(24).toString("hex") };
}

/** The file of `--token-auth-file`: token, user, uid, groups. */
export function tokenFile(users: readonly User[]): string {
  return users
    .map(({ name, token, groups }) => `${[token, name, name, groups.join(",")].map(csvField).join(",")}\n`)
    .join("");
}

function csvField(value: string): string {
  return `"${value.replaceAll('"', '""')}"`;
}

/** The connection of whoever has this token. Without a CA the server is one that speaks plain HTTP. */
export function connectionWith(to: { server: string; token: string; namespace?: string; ca?: string }): Connection {
  return {
    server: to.server,
    namespace: to.namespace ?? "default",
    tls: async () => ({ rejectUnauthorized: true, ...(to.ca !== undefined && { ca: to.ca }) }),
    authorization: async () => `Bearer ${to.token}`,
    refused() {},
  };
}

/** The key that signs service-account tokens, in PEM. */
export function newServiceAccountKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "sec1", format: "pem" }).toString();
}
