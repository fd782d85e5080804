/**
 * The tunnels of a proxy by their ids. Asked twice for the same it answers the same, also while the first is under way;
 * asked for another under an id that is taken it refuses, so that a late message never changes a tunnel.
 */
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { type PrepareTunnelRequest, type Tunnel, TunnelSchema } from "../protocol/tunnel_pb.ts";
import { completeRequest, describeRequest, isSameRequest } from "./tunnel-request.ts";

export interface Listening {
  addresses: string[];
  port: number;
}

interface Effects {
  open(request: PrepareTunnelRequest): Promise<Listening>;
  /** Nobody new comes in any more. */
  close(request: PrepareTunnelRequest): Promise<void>;
  /** As they are now, by the tunnel's id. */
  openStreams(): (id: number) => number;
  /**
   * Whether an id that was deleted is never taken again. So it is for whoever asks the server proxy; the client proxy
   * may be told to close what the server proxy gave up, and then be asked for it once more.
   */
  areIdsFinal: boolean;
}

interface Known {
  request: PrepareTunnelRequest;
  opening: Promise<Listening>;
  /** Undefined until it listens. */
  listening?: Listening;
}

export class Tunnels {
  readonly #effects: Effects;
  readonly #known = new Map<number, Known>();
  readonly #ending = new Map<number, Known>();
  readonly #deleted = new Set<number>();

  constructor(effects: Effects) {
    this.#effects = effects;
  }

  async prepare(asked: PrepareTunnelRequest): Promise<Tunnel> {
    const request = completeRequest(asked);
    const id = request.tunnelId;
    if (this.#deleted.has(id))
      throw new ConnectError(
        `tunnel id ${id} was deleted, and is not used again: ask for ${describeRequest(request)} under a new one`,
        Code.AlreadyExists,
      );
    const known = this.#known.get(id) ?? this.#open(request);
    if (!isSameRequest(known.request, request))
      throw new ConnectError(
        `tunnel id ${id} is ${describeRequest(known.request)}, and cannot be ${describeRequest(request)} as well: use a new id`,
        Code.AlreadyExists,
      );
    return tunnelOf(known.request, await known.opening, this.#effects.openStreams(), false);
  }

  async delete(id: number): Promise<void> {
    const known = this.#known.get(id);
    if (!known) return;
    this.#known.delete(id);
    if (this.#effects.areIdsFinal) this.#deleted.add(id);
    // One that is being opened can only be closed when it is open.
    await known.opening.catch(() => {});
    if (known.listening) this.#ending.set(id, known);
    await this.#effects.close(known.request);
  }

  /** Those that listen, and those that are deleted and have streams left. */
  list(): Tunnel[] {
    const openStreams = this.#effects.openStreams();
    for (const id of this.#ending.keys()) if (openStreams(id) === 0) this.#ending.delete(id);
    const all = (those: Map<number, Known>, isEnding: boolean) =>
      [...those.values()].flatMap(({ request, listening }) =>
        listening ? tunnelOf(request, listening, openStreams, isEnding) : [],
      );
    return [...all(this.#known, false), ...all(this.#ending, true)];
  }

  /** What was asked for, of those that listen. */
  requests(): PrepareTunnelRequest[] {
    return [...this.#known.values()].flatMap(({ request, listening }) => (listening ? request : []));
  }

  #open(request: PrepareTunnelRequest): Known {
    const known: Known = { request, opening: this.#effects.open(request) };
    this.#known.set(request.tunnelId, known);
    known.opening.then(
      (listening) => {
        known.listening = listening;
      },
      () => {
        // It may be asked for again, also in another way.
        if (this.#known.get(request.tunnelId) === known) this.#known.delete(request.tunnelId);
      },
    );
    return known;
  }
}

function tunnelOf(
  { tunnelId, name, serverAddress, serverPort, limits }: PrepareTunnelRequest,
  { addresses, port }: Listening,
  openStreams: (id: number) => number,
  isEnding: boolean,
): Tunnel {
  return create(TunnelSchema, {
    tunnelId,
    name,
    serverAddress,
    serverPort,
    ...(limits && { limits }),
    clientProxyAddresses: addresses,
    clientProxyPort: port,
    openStreams: openStreams(tunnelId),
    isEnding,
  });
}
