/** Who may talk to the API server, and the files that say so. */
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { stringify } from "yaml";

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

/** A kubeconfig that needs no other file. */
export function kubeconfigFor(user: User, server: string, ca: string): string {
  const name = "control-plane";
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster: { server, "certificate-authority-data": Buffer.from(ca).toString("base64") } }],
    users: [{ name: user.name, user: { token: user.token } }],
    contexts: [{ name, context: { cluster: name, user: user.name, namespace: "default" } }],
    "current-context": name,
  });
}

/** The key that signs service-account tokens, in PEM. */
export function newServiceAccountKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "sec1", format: "pem" }).toString();
}
