/** What only the node knows on which a pod runs. Where nobody offers it, it is refused. */
import type { AnyStoredObject } from "../registry/resource.ts";

export interface LogOptions {
  container?: string;
  follow: boolean;
  previous: boolean;
  timestamps: boolean;
  tailLines?: number;
  limitBytes?: number;
  sinceSeconds?: number;
  /** RFC 3339. */
  sinceTime?: string;
}

export interface Nodes {
  /** Throws a refusal where there is no such container, or it has no log yet. Ends when the signal is aborted. */
  podLogs(pod: AnyStoredObject, options: LogOptions, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}
