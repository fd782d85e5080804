/** How much one client may ask for, and for how long it may take. */
export const limits = {
  /** As kube-apiserver's: what etcd takes, twice over. */
  bodyBytes: 3 << 20,
  headerBytes: 64 << 10,
  /** For the TLS handshake, and for the line and headers of a request. */
  headersMs: 10_000,
  /** For a request with its body. */
  requestMs: 60_000,
  /** How long a connection is kept open for the next request: longer than clients do, so that they end it. */
  keepAliveMs: 120_000,
  connections: 10_000,
  /** Answered at the same time; watches and logs, which take hours, are not counted. System components have as many. */
  requests: 1_000,
  requestsPerUser: 400,
  /** Bodies that are being read at the same time. */
  bodies: 1_000,
  bodiesPerUser: 100,
  /** Of all bodies that are in memory. */
  bodiesBytes: 256 << 20,
  bodiesBytesPerUser: 64 << 20,
  /** Answers from here on are compressed for whoever takes that. */
  gzipBytes: 128 << 10,
} as const;
