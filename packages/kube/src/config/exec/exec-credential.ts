import { parseTime } from "@berg/apimachinery";
import type { Cluster } from "../cluster.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { isMapping } from "../entry.ts";
import { type ClientCertificate, fits } from "../pem.ts";
import { isToken } from "../token.ts";
import type { ExecConfig } from "./exec-config.ts";

/** What a plugin answered; a token, a certificate, or both. */
export interface ExecCredential {
  token?: string;
  certificate?: ClientCertificate;
  /** Wall time in ms; unset: good until the server refuses it. */
  expiresAt?: number;
}

/** What the plugin finds in KUBERNETES_EXEC_INFO. `ca` is the text of the cluster's CA bundle. */
export function execInfo(exec: ExecConfig, interactive: boolean, cluster: Cluster, ca: string | undefined): string {
  const info = exec.provideClusterInfo && {
    server: cluster.server,
    "tls-server-name": cluster.servername,
    "insecure-skip-tls-verify": cluster.skipVerify || undefined,
    "certificate-authority-data": ca === undefined ? undefined : Buffer.from(ca).toString("base64"),
    config: cluster.pluginConfig,
  };
  return JSON.stringify({
    kind: "ExecCredential",
    apiVersion: exec.apiVersion,
    spec: { ...(info && { cluster: info }), interactive },
  });
}

/** Reads what a plugin printed. It is all secret, so errors say what is wrong with it and quote nothing. */
export function parseExecCredential(exec: ExecConfig, stdout: string): ExecCredential {
  const wrong = (problem: string) => new ConfigurationError(`the answer of ${exec.what} ${problem}`);
  const answer = parseJson(stdout);
  if (!isMapping(answer)) throw wrong("is not a JSON object");
  if (answer.kind !== "ExecCredential") throw wrong('is not of kind "ExecCredential"');
  if (answer.apiVersion !== exec.apiVersion) throw wrong(`is not of apiVersion "${exec.apiVersion}", as configured`);
  const status = answer.status;
  if (!isMapping(status)) throw wrong("has no status");

  const text = (field: string): string | undefined => {
    const value = status[field];
    if (value === undefined || value === null || value === "") return undefined;
    if (typeof value !== "string") throw wrong(`has a wrong ${field}: it is not text`);
    return value;
  };
  const token = text("token");
  const cert = text("clientCertificateData");
  const key = text("clientKeyData");
  const expiration = text("expirationTimestamp");
  const expiresAt = expiration === undefined ? undefined : timeOr(Number.NaN, expiration);

  if (token === undefined && cert === undefined && key === undefined) throw wrong("holds no token and no certificate");
  if (token !== undefined && !isToken(token)) throw wrong("has a wrong token: there are spaces or the like in it");
  if ((cert === undefined) !== (key === undefined)) {
    throw wrong("holds only one of clientCertificateData and clientKeyData");
  }
  const certificate = cert !== undefined && key !== undefined ? { cert, key } : undefined;
  if (certificate && !fits(certificate)) {
    throw wrong("holds a clientCertificateData and a clientKeyData that are not PEM or do not belong together");
  }
  if (Number.isNaN(expiresAt)) throw wrong("has a wrong expirationTimestamp: it is not a time as in RFC 3339");
  return {
    ...(token !== undefined && { token }),
    ...(certificate && { certificate }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

function timeOr(otherwise: number, text: string): number {
  try {
    return parseTime(text);
  } catch {
    // Its error would quote what the plugin printed.
    return otherwise;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
