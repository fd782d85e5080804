/** A data connection of the client proxy that has proved itself. */
import type { Carrier } from "./carrier.ts";
import type { SessionKey, StreamTokens } from "./preamble.ts";

export interface DataConnection {
  readonly session: SessionKey;
  readonly carrier: Carrier;
  /** Of the streams that it will carry. */
  readonly tokens: StreamTokens;
}
