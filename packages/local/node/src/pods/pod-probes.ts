/** The containers of one pod that are asked how they are: those that run. */
import { findContainer } from "../containers/shapes.ts";
import type { Prober } from "../probes/prober.ts";
import { addressOf, isRunning, sandboxOf } from "./seen.ts";
import type { View } from "./view.ts";

export class PodProbes {
  readonly #prober: Prober;
  /** When our process began. */
  readonly #since: number;
  readonly #asked = new Set<string>();

  constructor(prober: Prober, since: number) {
    this.#prober = prober;
    this.#since = since;
  }

  keepUp({ seen, pod }: View): void {
    const podIP = addressOf(sandboxOf(seen)) ?? "";
    const running = seen.containers.filter(isRunning);
    const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
    for (const { id, identity, startedAt = 0 } of running) {
      const container = findContainer(pod, identity.container);
      if (!container) continue;
      const old = statuses.find(({ containerID }) => containerID?.endsWith(`//${id}`));
      const before = old && startedAt < this.#since ? { started: old.started === true, ready: old.ready } : undefined;
      this.#prober.watch({ pod, container, id, podIP, startedAt, before });
      this.#asked.add(id);
    }
    for (const id of this.#asked) {
      if (running.some((one) => one.id === id)) continue;
      this.#prober.forget(id);
      this.#asked.delete(id);
    }
  }

  /** The pod ends: nobody asks any more whether it lives. */
  quieten(): void {
    for (const id of this.#asked) this.#prober.quieten(id);
  }

  end(): void {
    for (const id of this.#asked) this.#prober.forget(id);
    this.#asked.clear();
  }
}
