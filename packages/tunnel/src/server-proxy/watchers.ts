/** Who is told what happens to the pair. The present state comes first, so that nobody has to ask beside it. */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { DeadManSwitch } from "../pair/dead-man-switch.ts";
import { Outbox } from "../pair/outbox.ts";
import { type PairEvent, PairEventSchema } from "../protocol/tunnel_pb.ts";

export type Happening = NonNullable<MessageInitShape<typeof PairEventSchema>["what"]>;

export class Watchers {
  readonly #presence: DeadManSwitch;
  /** What is to be told beside the state to whoever comes. */
  readonly #alsoNow: () => Happening[];
  readonly #outboxes = new Set<Outbox<PairEvent>>();
  #state: Happening = { case: "disconnected", value: { message: "no client proxy has been named yet" } };

  constructor(presence: DeadManSwitch, alsoNow: () => Happening[]) {
    this.#presence = presence;
    this.#alsoNow = alsoNow;
  }

  setState(state: Happening): void {
    this.#state = state;
    this.tell(state);
  }

  tell(what: Happening): void {
    for (const outbox of this.#outboxes) outbox.push(create(PairEventSchema, { what }));
  }

  async *watch(signal: AbortSignal): AsyncGenerator<PairEvent> {
    const outbox = new Outbox<PairEvent>();
    const leave = this.#presence.arrive();
    const gone = () => outbox.end();
    signal.addEventListener("abort", gone);
    this.#outboxes.add(outbox);
    for (const what of [this.#state, ...this.#alsoNow()]) outbox.push(create(PairEventSchema, { what }));
    try {
      yield* outbox;
    } finally {
      signal.removeEventListener("abort", gone);
      this.#outboxes.delete(outbox);
      leave();
    }
  }
}
