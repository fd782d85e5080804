/**
 * The streams of a pair of proxies, without the control plane: one TCP connection each, dialled by the host side.
 *
 *   preamble     how a data connection proves itself, and says which stream it carries (pure)
 *   arrivals     the client proxy's door for data connections
 *   pools        those that wait for a client, on both sides
 *   relay        two connections made one
 *   ClientStreams and ServerStreams: each side as a whole
 */
export { ClientStreams } from "./client-streams.ts";
export type * from "./contract.ts";
export { ServerStreams } from "./server-streams.ts";
