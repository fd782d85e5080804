/** The words in which the control plane and the streams talk to each other. */

/** What one control connection agreed on. Data connections prove themselves by it. */
export interface Session {
  readonly id: number;
  /** 32 random bytes. Never in a log. */
  readonly key: Buffer;
}

/** All of them are kept by the client proxy: it stands where the crowd comes in. */
export interface TunnelLimits {
  /** At the same time, those included that wait for a data connection; 0 is as many as there are descriptors. */
  readonly streams: number;
  /** Of all streams together, each way; 0 is unlimited. */
  readonly bytesPerSecond: number;
  /** A stream on which nothing comes or goes for so long is reset; 0 is never. */
  readonly idleSeconds: number;
}

/** A tunnel as the client proxy knows it. */
export interface ListeningTunnel {
  readonly id: number;
  readonly name: string;
  /** An IP address; empty is every one. */
  readonly address: string;
  /** 0 is any that is free. */
  readonly port: number;
  readonly limits: TunnelLimits;
}

export interface StreamCounts {
  /** Now. */
  readonly open: number;
  /** Since the tunnel was opened. */
  readonly total: number;
  /** Reset at once, for a limit. */
  readonly refused: number;
}

/** Where a tunnel really listens. */
export interface TunnelPort {
  readonly addresses: string[];
  readonly port: number;
}

export interface TunnelState extends TunnelPort, StreamCounts {
  readonly tunnel: ListeningTunnel;
  /** Closed, with streams that go on. */
  readonly isEnding: boolean;
}

/** A tunnel as the server proxy knows it: where its streams go. */
export interface ServerTunnel {
  readonly id: number;
  readonly name: string;
  /** A name is looked up anew for each stream. */
  readonly host: string;
  readonly port: number;
}

export interface StreamFailure {
  readonly tunnelId: number;
  readonly streamId: bigint;
  /** Of the tunnel; empty where there is none of that id. */
  readonly name: string;
  readonly message: string;
}

/** Where the client proxy takes data connections. */
export interface Endpoint {
  /** An IP address. */
  readonly host: string;
  readonly port: number;
}
