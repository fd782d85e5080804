/** What is told of a pod as a whole, once each: that it ends and why, and that a container waits. */
import { toStart, waitingOf } from "./container-turn.ts";
import type { PodEvents } from "./pod-events.ts";
import type { Ending, View } from "./view.ts";
import { reasons, texts } from "./vocabulary.ts";

export class PodNews {
  readonly #events: PodEvents;
  readonly #told = new Set<string>();

  constructor(events: PodEvents) {
    this.#events = events;
  }

  tell(view: View, ending: Ending | undefined): void {
    const { pod, memory } = view;
    if (ending === "deadline" && this.#isNews("deadline"))
      this.#events.ofPod(pod, "Normal", reasons.deadline, texts.deadline);
    if (ending === "evicted" && memory.evicted && this.#isNews("evicted"))
      this.#events.ofPod(pod, "Warning", reasons.evicted, memory.evicted);
    if (ending === "refused" && memory.refused && this.#isNews("refused"))
      this.#events.ofPod(pod, "Warning", reasons.forbidden, texts.rejected(memory.refused));
    if (!ending) this.#tellOfWaiting(view);
  }

  #tellOfWaiting(view: View): void {
    for (const turn of toStart(view)) {
      const { container, latest } = turn;
      if (waitingOf(view, turn)?.reason !== reasons.crashLoop || !this.#isNews(`back-off ${latest?.id}`)) continue;
      const text = texts.backOffEvent(container.name, view.pod);
      this.#events.ofContainer(view.pod, container, "Warning", "BackOff", text);
    }
  }

  #isNews(what: string): boolean {
    if (this.#told.has(what)) return false;
    this.#told.add(what);
    return true;
  }
}
