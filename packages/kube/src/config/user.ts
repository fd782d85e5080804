import type { Entry } from "./entry.ts";
import { type ExecConfig, readExecConfig } from "./exec/exec-config.ts";
import { type Pem, pemOf } from "./pem.ts";
import { bearer, isToken } from "./token.ts";

/** How to say who we are. A client certificate may stand beside a header, but not beside a plugin. */
export type User =
  | { kind: "plugin"; exec: ExecConfig }
  | ({ certificate?: { cert: Pem; key: Pem } } & (
      | { kind: "none" }
      | { kind: "header"; authorization: string }
      | { kind: "tokenFile"; file: string; what: string }
    ));

export function readUser(entry: Entry): User {
  refuseUnsupported(entry);
  const certificate = clientCertificate(entry);
  const exec = entry.section("exec");
  const ways = [
    entry.has("token") && "token",
    // Kubernetes documents the file as the newer of the two, so both together are no contradiction.
    entry.has("tokenFile") && !entry.has("token") && "tokenFile",
    (entry.has("username") || entry.has("password")) && "username and password",
    exec && "exec",
    exec && certificate && "client-certificate",
  ].filter((way) => typeof way === "string");
  if (ways.length > 1) throw entry.wrong(`has ${ways.join(" and ")}: only one of them can be used, remove the others`);
  if (exec) return { kind: "plugin", exec: readExecConfig(exec) };
  return { ...header(entry), ...(certificate && { certificate }) };
}

function header(entry: Entry): User {
  const file = entry.path("tokenFile");
  if (file !== undefined) return { kind: "tokenFile", file, what: `tokenFile of ${entry.what}` };

  const token = entry.text("token");
  if (token !== undefined) {
    if (!isToken(token)) throw entry.wrong("has a wrong token: there are spaces, line breaks or the like in it");
    return { kind: "header", authorization: bearer(token) };
  }

  const username = entry.text("username");
  const password = entry.text("password");
  if (username !== undefined) {
    if (username.includes(":")) throw entry.wrong("has a wrong username: there is a colon in it");
    const pair = Buffer.from(`${username}:${password ?? ""}`).toString("base64");
    return { kind: "header", authorization: `Basic ${pair}` };
  }
  if (password !== undefined) throw entry.wrong("has a password and no username");
  return { kind: "none" };
}

function clientCertificate(entry: Entry): { cert: Pem; key: Pem } | undefined {
  const cert = pemOf(entry, "client-certificate");
  const key = pemOf(entry, "client-key");
  if (cert && key) return { cert, key };
  if (cert) throw entry.wrong("has a client-certificate and no client-key: set client-key or client-key-data");
  if (key)
    throw entry.wrong("has a client-key and no client-certificate: set client-certificate or client-certificate-data");
  return undefined;
}

function refuseUnsupported(entry: Entry): void {
  if (entry.has("auth-provider")) {
    throw entry.wrong("has an auth-provider, which Kubernetes has removed: use an exec plugin");
  }
  // To go on without it would act with the rights of another user than the one meant.
  const impersonation = ["as", "as-uid", "as-groups", "as-user-extra"].find((field) => entry.has(field));
  if (impersonation !== undefined) {
    throw entry.wrong(`has "${impersonation}", but impersonation is not supported: use that user's own credentials`);
  }
}
