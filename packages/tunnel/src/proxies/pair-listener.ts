/** What a server proxy tells goes into the memory of its object, and to whoever reads its events. */
import type { Stored } from "@berg/apimachinery";
import type { Clock, EventRecorder } from "@berg/kube";
import type { ContainerNetworkTunnelProxy } from "@berg/resources";
import { eventReasons, texts } from "../vocabulary.ts";
import type { Memories } from "./memories.ts";
import type { Memory } from "./memory.ts";
import type { PairListener } from "./pair/watch-server.ts";

export interface ListenerSurroundings {
  memories: Memories;
  enqueue(name: string): void;
  recorder: EventRecorder;
  clock: Clock;
}

export function listenerOf(
  object: Stored<ContainerNetworkTunnelProxy>,
  { memories, enqueue, recorder, clock }: ListenerSurroundings,
): PairListener {
  const { uid, name } = object.metadata;
  const update = (change: Partial<Memory>) => {
    memories.update(uid, change);
    enqueue(name);
  };
  return {
    ended(how) {
      if (memories.get(uid)?.failure === undefined) update({ failure: texts.processEnded(how) });
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
      recorder.event(object, "Warning", eventReasons.serverUnreachable, `Tunnel ${tunnel}: ${why}`);
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
