/**
 * The server proxy's presence: one session, as long as its control connection. The newest replaces the one before it,
 * whose connection is cut, so that nothing that was said on it can arrive late.
 */
import type { Http2Session } from "node:http2";
import { type Clock, errorText, type Logger } from "@berg/kube/process";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import type { DeadManSwitch } from "../pair/dead-man-switch.ts";
import { connectionKey } from "../pair/grpc-server.ts";
import { keepAlive } from "../pair/keep-alive.ts";
import { Outbox } from "../pair/outbox.ts";
import {
  type FromClientProxy,
  FromClientProxySchema,
  type FromServerProxy,
  type SessionKey,
} from "../protocol/tunnel_pb.ts";
import type { ClientStreams } from "../streams/index.ts";

const keyBytes = 32;

interface Current {
  outbox: Outbox<FromClientProxy>;
  connection: Http2Session | undefined;
}

export class Sessions {
  readonly #streams: ClientStreams;
  readonly #presence: DeadManSwitch;
  readonly #dataPort: number;
  readonly #clock: Clock;
  readonly #log: Logger;
  #current: Current | undefined;

  constructor(streams: ClientStreams, presence: DeadManSwitch, dataPort: number, clock: Clock, log: Logger) {
    this.#streams = streams;
    this.#presence = presence;
    this.#dataPort = dataPort;
    this.#clock = clock;
    this.#log = log;
    streams.onConnectionsWanted = (count) =>
      this.#current?.outbox.push(message({ case: "connectionsWanted", value: { count } }));
  }

  async *session(from: AsyncIterable<FromServerProxy>, context: HandlerContext): AsyncGenerator<FromClientProxy> {
    const incoming = from[Symbol.asyncIterator]();
    const { sessionId, key } = keyIn(await incoming.next());
    const outbox = new Outbox<FromClientProxy>();
    const current = { outbox, connection: context.values.get(connectionKey) };
    this.#replace(current);
    const leave = this.#presence.arrive();
    const gone = () => outbox.end();
    context.signal.addEventListener("abort", gone);
    // First of all: where clients wait, the streams ask for data connections at once.
    outbox.push(message({ case: "sessionReady", value: { dataPort: this.#dataPort } }));
    this.#streams.useSession({ id: sessionId, key: Buffer.from(key) });
    this.#log.info({ session: sessionId }, "the server proxy is connected");
    void this.#hear(incoming).finally(gone);
    if (current.connection) keepAlive(current.connection, this.#clock);
    try {
      yield* outbox;
    } finally {
      context.signal.removeEventListener("abort", gone);
      leave();
      if (this.#current === current) {
        this.#current = undefined;
        this.#streams.endSession();
        this.#log.warn({ session: sessionId }, "the server proxy is gone: streams go on, new clients wait for it");
      }
    }
  }

  #replace(current: Current): void {
    const before = this.#current;
    this.#current = current;
    before?.outbox.end();
    if (before?.connection !== current.connection) before?.connection?.destroy();
  }

  async #hear(incoming: AsyncIterator<FromServerProxy>): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await incoming.next();
        if (done) return;
        if (value.what.case !== "streamFailed") continue;
        const { tunnelId, streamId, message: error } = value.what.value;
        const tunnel = this.#streams.list().find((each) => each.tunnel.id === tunnelId)?.tunnel.name;
        this.#log.warn({ tunnel, streamId: String(streamId), error }, "a stream did not reach its server");
      }
    } catch (error) {
      this.#log.debug({ error: errorText(error) }, "the control connection broke");
    }
  }
}

function keyIn({ done, value }: IteratorResult<FromServerProxy>): SessionKey {
  if (done || value.what.case !== "sessionKey" || value.what.value.key.length !== keyBytes)
    throw new ConnectError(`a session begins with a key of ${keyBytes} bytes`, Code.InvalidArgument);
  return value.what.value;
}

function message(what: NonNullable<MessageInitShape<typeof FromClientProxySchema>["what"]>): FromClientProxy {
  return create(FromClientProxySchema, { what });
}
