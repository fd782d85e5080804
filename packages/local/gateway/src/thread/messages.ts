/** What the gateway's thread and its starter tell each other, beside `ready` and `stop`. */
import type { TlsMaterial } from "@berg/kube";
import type { CertificatePair } from "../proxy/certificate-contexts.ts";
import type { Limits } from "../proxy/limits.ts";

/** With what it is started. */
export interface ThreadData {
  readonly server: string;
  readonly namespace: string;
  readonly tls: TlsMaterial;
  readonly authorization: string | undefined;
  readonly host: string;
  readonly limits: Partial<Limits>;
  readonly issuesCertificates: boolean;
}

export type LogLevel = "debug" | "info" | "warn" | "error";

export type FromThread =
  | { readonly log: LogLevel; readonly fields: object; readonly message: string }
  /** A certificate for a hostname is needed. */
  | { readonly certificate: number; readonly hostname: string };

export type ToThread =
  | "stop"
  | { readonly certificate: number; readonly pair: CertificatePair }
  | { readonly certificate: number; readonly problem: string };
