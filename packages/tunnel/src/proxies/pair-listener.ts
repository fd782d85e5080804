/** What a server proxy tells goes into the memory of its object, and to whoever reads its events. */
import type { Stored } from "@berg/apimachinery";
import type { Clock, EventRecorder } from "@berg/kube";
import type { ContainerNetworkTunnelProxy } from "@berg/resources";
import { eventReasons, texts } from "../vocabulary.ts";
import type { PairListener } from "./lifecycle/watch-server.ts";
import type { Memories } from "./memories.ts";
import type { Memory, ServerState } from "./memory.ts";
import { microTime } from "./micro-time.ts";

export interface ListenerSurroundings {
  memories: Memories;
  enqueue(name: string, afterMs?: number): void;
  recorder: EventRecorder;
  clock: Clock;
}

const serversEveryMs = 10_000;

export function listenerOf(
  object: Stored<ContainerNetworkTunnelProxy>,
  { memories, enqueue, recorder, clock }: ListenerSurroundings,
): PairListener {
  const { uid, name } = object.metadata;
  const update = (change: Partial<Memory>) => {
    memories.update(uid, change);
    enqueue(name);
  };
  /** Monotonic: of the last look that was asked for because of a server. */
  let looksAt = Number.NEGATIVE_INFINITY;
  /** Servers that come and go cost a write now and then, and not one for each stream. */
  const lookSeldom = () => {
    const now = clock.monotonic();
    if (looksAt > now) return;
    looksAt = Math.max(now, looksAt + serversEveryMs);
    enqueue(name, looksAt - now);
  };
  /** Whether it is news. */
  const found = (tunnelId: number, trouble: string | undefined) => {
    const { servers = new Map<number, ServerState>() } = memories.get(uid) ?? {};
    if (servers.get(tunnelId)?.trouble === trouble) return false;
    memories.update(uid, { servers: new Map(servers).set(tunnelId, { trouble, timestamp: microTime(clock) }) });
    lookSeldom();
    return true;
  };
  return {
    ended(how) {
      memories.ended(uid, texts.processEnded(how));
      enqueue(name);
    },
    outOfTouch(why) {
      const before = memories.get(uid);
      if (!before || before.outOfTouch === why) return;
      update({ outOfTouch: why, ...(why === undefined && { tunnels: dueNow(before.tunnels, clock.monotonic()) }) });
      if (!before.pair) return;
      if (why === undefined) recorder.event(object, "Normal", eventReasons.connected, texts.running);
      else recorder.event(object, "Warning", eventReasons.disconnected, texts.outOfTouch(why));
    },
    serverUnreachable(tunnel, why) {
      if (!found(tunnel.id, texts.serverUnreachable(why))) return;
      recorder.event(object, "Warning", eventReasons.serverUnreachable, `Tunnel ${tunnel.name}: ${why}`);
    },
    serverReached(tunnelId) {
      found(tunnelId, undefined);
    },
  };
}

/** What has failed while the proxies did not hear each other may succeed now. */
function dueNow(tunnels: Memory["tunnels"], now: number): Memory["tunnels"] {
  return new Map(
    [...tunnels].map(([name, tunnel]) => [
      name,
      tunnel.retryAt === undefined ? tunnel : { ...tunnel, retryAt: now, failures: 0 },
    ]),
  );
}
