/**
 * The server proxy: carries streams from the client proxy to servers on the host. Its tunnels are what counts; the client
 * proxy is brought to them whenever the two find each other. It ends the pair when its owner is gone.
 */
import { type Clock, type Logger, type Random, sleep } from "@berg/kube/process";
import { Code, ConnectError } from "@connectrpc/connect";
import { makeProxyCertificate } from "../pair/certificate.ts";
import { DeadManSwitch } from "../pair/dead-man-switch.ts";
import { type Listening, Tunnels } from "../pair/tunnels.ts";
import type { ConnectRequest, PairEvent, PrepareTunnelRequest } from "../protocol/tunnel_pb.ts";
import { ServerStreams } from "../streams/index.ts";
import { ClientProxyLink, type LinkState } from "./client-proxy-link.ts";
import { type ClientProxyPeer, isSamePeer, peerOf } from "./peer.ts";
import { type ServerNews, ServerTroubles } from "./server-troubles.ts";
import { ToldFailures } from "./told-failures.ts";
import { type Happening, Watchers } from "./watchers.ts";

export interface ServerProxyOptions {
  unwatchedMs: number;
  clock: Clock;
  random: Random;
  log: Logger;
  /** Nobody needs it any more: told to shut down, or unwatched for too long. */
  onOver: () => void;
}

const connectMs = 15_000;
const goodbyeMs = 1_000;
/** With which the client proxy says that it did not do something. */
const refusals = new Set([Code.AlreadyExists, Code.FailedPrecondition, Code.InvalidArgument]);

export class ServerProxy implements AsyncDisposable {
  readonly tunnels: Tunnels;
  readonly #options: ServerProxyOptions;
  readonly #own;
  readonly #streams: ServerStreams;
  readonly #presence: DeadManSwitch;
  readonly #watchers: Watchers;
  readonly #failures: ToldFailures;
  readonly #troubles: ServerTroubles;
  #ended: Promise<void> | undefined;
  #link: ClientProxyLink | undefined;
  /** Of the link; undefined until there is one. */
  #state: LinkState | undefined;
  /** Called at each change of it. */
  readonly #stateChanged = new Set<() => void>();

  constructor(options: ServerProxyOptions) {
    const { clock, log, unwatchedMs, onOver } = options;
    this.#options = options;
    this.#own = makeProxyCertificate("server proxy", clock);
    this.#failures = new ToldFailures(clock);
    this.#streams = new ServerStreams({
      clock,
      log,
      onStreamFailed: (failure) => {
        const { tunnelId, name, message } = failure;
        // One of a tunnel that is just gone says nothing about a server.
        if (name !== "") this.#troubles.failed(tunnelId, name, message);
        if (this.#failures.isNews(failure)) this.#link?.tellFailure(failure);
      },
      onStreamOpened: (tunnelId) => this.#troubles.reached(tunnelId),
    });
    this.#presence = new DeadManSwitch(clock, unwatchedMs, () => {
      log.warn({ seconds: unwatchedMs / 1_000 }, "nobody has watched for too long: ending both proxies");
      onOver();
    });
    this.#watchers = new Watchers(this.#presence, () => this.#troubles.all().map(happeningOf));
    this.#troubles = new ServerTroubles(clock, (news) => this.#watchers.tell(happeningOf(news)));
    this.tunnels = new Tunnels({
      open: (request) => this.#open(request),
      close: (request) => this.#close(request),
      openStreams: () => (id) => this.#streams.openStreams(id),
      areIdsFinal: true,
    });
  }

  get certificate(): string {
    return this.#own.certificate;
  }

  /** Resolves once connected. Where that fails it goes on trying all the same. */
  async connect(request: ConnectRequest, signal: AbortSignal): Promise<void> {
    const peer = peerOf(request);
    this.#link ??= this.#startLink(peer);
    if (!isSamePeer(this.#link.peer, peer))
      throw new ConnectError(
        `this pair's client proxy is at ${this.#link.peer.address}:${this.#link.peer.controlPort} and stays so: ` +
          "start another server proxy for another client proxy",
        Code.FailedPrecondition,
      );
    await this.#connected(signal);
  }

  watch(signal: AbortSignal): AsyncGenerator<PairEvent> {
    return this.#watchers.watch(signal);
  }

  /** Ends both: without this one, whose key dies with it, nobody can reach the other. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  async #end(): Promise<void> {
    this.#presence[Symbol.dispose]();
    this.#troubles[Symbol.dispose]();
    // Where it cannot be told it finds out by itself.
    await this.#link?.control?.shutdown({}, { timeoutMs: goodbyeMs }).catch(() => {});
    await this.#link?.[Symbol.asyncDispose]();
    await this.#streams[Symbol.asyncDispose]();
  }

  #startLink(peer: ClientProxyPeer): ClientProxyLink {
    const { clock, random, log } = this.#options;
    return new ClientProxyLink(peer, {
      own: this.#own,
      streams: this.#streams,
      tunnels: () => this.tunnels.requests(),
      onState: (state) => this.#setState(state),
      clock,
      random,
      log,
    });
  }

  #setState(state: LinkState): void {
    // Each attempt fails in the same words.
    if (this.#state?.isConnected === false && !state.isConnected && this.#state.message === state.message) return;
    this.#state = state;
    this.#watchers.setState(
      state.isConnected
        ? { case: "connected", value: {} }
        : { case: "disconnected", value: { message: state.message } },
    );
    for (const changed of this.#stateChanged) changed();
  }

  async #connected(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => this.#state?.isConnected && resolve();
    this.#stateChanged.add(look);
    look();
    const limit = new AbortController();
    const giveUp = () => limit.abort();
    signal.addEventListener("abort", giveUp);
    try {
      await Promise.race([promise, sleep(this.#options.clock, connectMs, limit.signal).catch(() => {})]);
    } finally {
      this.#stateChanged.delete(look);
      signal.removeEventListener("abort", giveUp);
      limit.abort();
    }
    if (!this.#state?.isConnected) throw this.#unavailable();
  }

  async #open(request: PrepareTunnelRequest): Promise<Listening> {
    const { tunnelId: id, name, serverAddress: host, serverPort: port } = request;
    const control = this.#link?.control;
    if (!control) throw this.#unavailable();
    // A client may come in before the client proxy has answered.
    this.#streams.setTunnel({ id, name, host, port });
    try {
      const { clientProxyAddresses, clientProxyPort } = await control.prepareTunnel(request);
      this.#options.log.info({ tunnel: name, tunnelId: id, host, port, clientProxyPort }, "tunnel prepared");
      return { addresses: clientProxyAddresses, port: clientProxyPort };
    } catch (error) {
      this.#streams.removeTunnel(id);
      const failure = ConnectError.from(error);
      if (refusals.has(failure.code)) throw failure;
      // It may listen all the same, where its answer was late or lost.
      await this.#link?.control?.deleteTunnel({ tunnelId: id }).catch(() => {});
      throw new ConnectError(`the client proxy did not answer: ${failure.rawMessage}`, Code.Unavailable);
    }
  }

  /** Whom the client proxy still lets in is turned away here; where it is away, it is told when it is back. */
  async #close({ tunnelId, name }: PrepareTunnelRequest): Promise<void> {
    const { log } = this.#options;
    this.#streams.removeTunnel(tunnelId);
    this.#failures.forget(tunnelId);
    this.#troubles.forget(tunnelId);
    await this.#link?.control?.deleteTunnel({ tunnelId }).catch((error: unknown) => {
      log.warn({ tunnel: name, error: ConnectError.from(error).rawMessage }, "the client proxy is told of it later");
    });
    log.info({ tunnel: name, tunnelId }, "tunnel deleted");
  }

  #unavailable(): ConnectError {
    const why = this.#state?.isConnected === false ? this.#state.message : "it has not been named yet (Connect)";
    return new ConnectError(`the client proxy is not connected: ${why}`, Code.Unavailable);
  }
}

function happeningOf({ tunnelId, name, trouble }: ServerNews): Happening {
  if (trouble === undefined) return { case: "serverReached", value: { tunnelId } };
  return { case: "serverUnreachable", value: { tunnelId, name, message: trouble } };
}
