/**
 * The server proxy's hold on the client proxy: a control connection that comes back whenever it is lost. Each begins
 * with a new session key for the data connections; then the client proxy is brought to the tunnels that there should be;
 * then it counts as connected.
 */
import { randomBytes } from "node:crypto";
import { type Clock, errorText, type Logger, type Random, sleep } from "@berg/kube/process";
import type { KeyAndCertificate } from "@berg/local-certificates";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { type Client, ConnectError, createClient } from "@connectrpc/connect";
import { Outbox } from "../pair/outbox.ts";
import {
  ClientProxy,
  type FromClientProxy,
  type FromServerProxy,
  FromServerProxySchema,
  type PrepareTunnelRequest,
  TunnelControl,
} from "../protocol/tunnel_pb.ts";
import type { ServerStreams, StreamFailure } from "../streams/index.ts";
import { ControlConnection } from "./control-connection.ts";
import { dial } from "./dial.ts";
import type { ClientProxyPeer } from "./peer.ts";

export type LinkState = { isConnected: true } | { isConnected: false; message: string };

export interface LinkOptions {
  own: KeyAndCertificate;
  streams: ServerStreams;
  /** Those that there should be. */
  tunnels: () => readonly PrepareTunnelRequest[];
  onState: (state: LinkState) => void;
  clock: Clock;
  random: Random;
  log: Logger;
}

const firstDelayMs = 100;
const longestDelayMs = 5_000;
const answerMs = 10_000;

export class ClientProxyLink implements AsyncDisposable {
  readonly peer: ClientProxyPeer;
  readonly #options: LinkOptions;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #sessions = 0;
  #delayMs = firstDelayMs;
  #outbox: Outbox<FromServerProxy> | undefined;
  #control: Client<typeof TunnelControl> | undefined;

  constructor(peer: ClientProxyPeer, options: LinkOptions) {
    this.peer = peer;
    this.#options = options;
    this.#running = this.#run();
  }

  /** While connected. */
  get control(): Client<typeof TunnelControl> | undefined {
    return this.#control;
  }

  /** For the client proxy's logs; lost where it is not connected. */
  tellFailure({ tunnelId, streamId, message }: StreamFailure): void {
    this.#send({ case: "streamFailed", value: { tunnelId, streamId, message } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("told to stop"));
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, random, log, onState } = this.#options;
    const stop = this.#stop.signal;
    while (!stop.aborted) {
      const message = await this.#session().catch(textOf);
      if (stop.aborted) return;
      log.warn({ error: message }, "not connected with the client proxy: trying again");
      onState({ isConnected: false, message });
      await sleep(clock, this.#delayMs * (0.5 + random() / 2), stop).catch(() => {});
      this.#delayMs = Math.min(longestDelayMs, this.#delayMs * 2);
    }
  }

  /** From dialling to the end of the connection: returns or throws why it ended. */
  async #session(): Promise<string> {
    const { own, clock, streams, onState, log } = this.#options;
    const { address, controlPort } = this.peer;
    const stop = this.#stop.signal;
    const socket = await dial(this.peer, own, clock, stop);
    using connection = new ControlConnection(socket, clock);
    const transport = connection.transport(answerMs);
    this.#outbox = new Outbox();
    try {
      const session = { id: ++this.#sessions, key: randomBytes(32) };
      this.#send({ case: "sessionKey", value: { sessionId: session.id, key: session.key } });
      const calls = createClient(ClientProxy, transport);
      const incoming = calls.session(this.#outbox, { signal: stop, timeoutMs: 0 })[Symbol.asyncIterator]();
      const dataPort = await this.#ready(incoming, () => socket.destroy());
      streams.useSession(session, { host: address, port: dataPort });
      const control = createClient(TunnelControl, transport);
      await this.#restore(control);
      this.#delayMs = firstDelayMs;
      log.info({ session: session.id, address, controlPort, dataPort }, "connected with the client proxy");
      onState({ isConnected: true });
      return await this.#hear(incoming);
    } finally {
      this.#control = undefined;
      this.#outbox.end();
      this.#outbox = undefined;
      streams.endSession();
    }
  }

  async #ready(incoming: AsyncIterator<FromClientProxy>, giveUp: () => void): Promise<number> {
    const timer = this.#options.clock.setTimer(answerMs, giveUp);
    try {
      const { done, value } = await incoming.next();
      if (done || value.what.case !== "sessionReady")
        throw new Error("the client proxy did not take the session's key");
      return value.what.value.dataPort;
    } finally {
      timer.cancel();
    }
  }

  /**
   * Brings the client proxy to the tunnels that there should be. It is the same process as before, or it would have
   * another certificate: so what it has under an id is what was asked for, at the port that clients know.
   */
  async #restore(control: Client<typeof TunnelControl>): Promise<void> {
    const wanted = () => new Map(this.#options.tunnels().map((request) => [request.tunnelId, request]));
    const { tunnels } = await control.listTunnels({});
    const there = new Set(tunnels.flatMap(({ tunnelId, isEnding }) => (isEnding ? [] : tunnelId)));
    for (const [id, request] of wanted()) {
      if (there.has(id)) continue;
      await control.prepareTunnel(request);
      there.add(id);
    }
    const surplus = there.difference(wanted());
    for (const tunnelId of surplus) await control.deleteTunnel({ tunnelId });
    // More may be deleted while this goes on, and nobody else tells the client proxy of those yet.
    if (!there.difference(surplus).isSubsetOf(wanted())) return this.#restore(control);
    this.#control = control;
  }

  async #hear(incoming: AsyncIterator<FromClientProxy>): Promise<string> {
    for (;;) {
      const { done, value } = await incoming.next();
      if (done) return "the client proxy ended the session";
      if (value.what.case === "connectionsWanted") this.#options.streams.wanted(value.what.value.count);
    }
  }

  #send(what: NonNullable<MessageInitShape<typeof FromServerProxySchema>["what"]>): void {
    this.#outbox?.push(create(FromServerProxySchema, { what }));
  }
}

function textOf(error: unknown): string {
  return error instanceof ConnectError ? error.rawMessage : errorText(error);
}
