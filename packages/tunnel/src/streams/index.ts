/**
 * The streams of a pair of proxies, without the control plane. Each has a TCP connection between the proxies to itself,
 * dialled by the host side; when it has ended, another stream gets it.
 *
 *   preamble     how a data connection proves itself, and says which stream it carries (pure)
 *   pieces       how the bytes of a stream lie on it, so that its end is not the connection's
 *   carrier      a data connection, stream after stream
 *   arrivals     the client proxy's door for data connections
 *   pools        those that wait for a client, on both sides
 *   relay        a stream: its own connection and the one that carries it made one, by two ways
 *   ClientStreams and ServerStreams: each side as a whole
 */
export { ClientStreams } from "./client-streams.ts";
export type * from "./contract.ts";
export { ServerStreams } from "./server-streams.ts";
