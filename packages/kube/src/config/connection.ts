import type { LookupFunction } from "node:net";

/**
 * How to reach one API server: what a kubeconfig context or a pod's service account boils down to.
 *
 * Secrets are asked for each time they are needed, never kept by the caller, so that a rotated token, CA or client
 * certificate takes effect by itself.
 */
export interface Connection {
  /** Base URL, without a trailing slash. */
  readonly server: string;
  /** The namespace that the context, or the pod, is in. */
  readonly namespace: string;
  /** What the next new TLS connection shall use. */
  tls(signal?: AbortSignal): Promise<TlsMaterial>;
  /** The `Authorization` header of the next request, if there is one. */
  authorization(signal?: AbortSignal): Promise<string | undefined>;
  /**
   * The server refused the credentials (401): forget what is cached, so that the next call reads or asks anew. With the
   * header that was sent, the late refusal of an old token does not throw away the new one.
   */
  refused(authorization?: string): void;
}

export interface TlsMaterial {
  ca?: string;
  cert?: string;
  key?: string;
  /** The name in the server's certificate, where it differs from the host in the URL. */
  servername?: string;
  rejectUnauthorized: boolean;
  /** Where the server's name is turned into addresses: the one place that can refuse what a socket really connects to. */
  lookup?: LookupFunction;
}
