/** What one client, and all of them together, may take of this process. */

export interface Limits {
  /** Open connections, in all and from one address. */
  connections: number;
  connectionsPerSource: number;
  /** All header fields of a request together, and how many. */
  headerBytes: number;
  headers: number;
  /** How long a client may take for the header of a request, or for the beginning of TLS. */
  headerMs: number;
  /** How long a connection may stay without a request. */
  keepAliveMs: number;
  /** How long nothing at all may come or go, in the middle of a request; then of a tunnel: somebody may sit and think. */
  idleMs: number;
  tunnelIdleMs: number;
  /** How long an exchange goes on after the client has closed its side; a tunnel, with nothing on its way back. */
  halfClosedMs: number;
  /** How many interim responses (1xx) an endpoint may send before its answer. */
  interimResponses: number;
  /** How long one endpoint may take to accept a connection. */
  connectMs: number;
}

export const defaultLimits: Limits = {
  connections: 10_000,
  connectionsPerSource: 2_000,
  headerBytes: 32 * 1024,
  headers: 200,
  headerMs: 10_000,
  keepAliveMs: 60_000,
  idleMs: 10 * 60_000,
  tunnelIdleMs: 60 * 60_000,
  halfClosedMs: 60_000,
  interimResponses: 16,
  connectMs: 3_000,
};
