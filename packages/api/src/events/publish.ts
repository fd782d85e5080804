/** Sends live messages when the objects, rows or times behind them change. */
import { parseTime } from "@berg/apimachinery";
import type { Timer } from "@berg/kube";
import type { Challenge } from "@berg/resources";
import { isVisible, present } from "../challenges/routes.ts";
import { presentMetadata } from "../competition/routes.ts";
import { hasStarted, nextChange } from "../competition/rules.ts";
import type { ApiContext, Caches } from "../context.ts";
import { currentInstance, foreignInstance } from "../instances/commands.ts";
import { normalPath, presentPage } from "../pages/present.ts";

/** To the owner and to admins, if one of their pages is open. */
export async function publishInstance(context: ApiContext, ownerId: string): Promise<void> {
  const { hub, log } = context;
  try {
    if (hub.isConnected(ownerId)) {
      hub.sendInstance(ownerId, { type: "instance", message: await currentInstance(context, ownerId) });
    }
    if (hub.hasAdmins) {
      const message = await foreignInstance(context, ownerId);
      hub.sendToAdmins({ type: "instance", message }, ownerId);
    }
  } catch (error) {
    // The page reads it again when the connection or the database is back.
    log.debug({ error: error instanceof Error ? error.name : "unknown" }, "an instance could not be sent");
  }
}

export function publishMetadata(context: ApiContext): void {
  context.hub.broadcast({ type: "metadata", message: presentMetadata(context) });
}

/** Returns its undo. */
export function publishChanges(context: ApiContext, caches: Caches): () => void {
  const { hub, clock } = context;
  const reveal = new Reveal(context, caches);
  const undo = [
    () => reveal.stop(),
    caches.instances.onChange(({ object }) => {
      void publishInstance(context, object.spec.ownerId);
    }),
    caches.challenges.onChange((change) => {
      const { type, object } = change;
      const now = clock.now();
      reveal.schedule();
      if (!hasStarted(context.competition(), now)) return;
      if (type !== "deleted" && isVisible(object, now)) {
        hub.broadcast({ type: "challenge", message: present(object) });
        return;
      }
      // The name of one that players cannot see yet stays secret.
      const before = type === "updated" ? change.old : type === "deleted" ? object : undefined;
      if (before && isVisible(before, now)) hub.broadcast({ type: "challenge-delete", message: object.metadata.name });
    }),
    caches.pages.onChange((change) => {
      const { type, object } = change;
      const path = normalPath(object.spec.path);
      const before = type === "updated" ? normalPath(change.old.spec.path) : path;
      if (type === "deleted" || before !== path) hub.broadcast({ type: "page-delete", message: before });
      if (type !== "deleted") hub.broadcast({ type: "page", message: presentPage(object) });
    }),
    caches.competitions.onChange(() => reveal.schedule()),
  ];
  return () => {
    for (const one of undo) one();
  };
}

/** At least this often: the clock may be set. */
const longestWaitMs = 60_000;

/** Announces what becomes visible or changes by the time alone: the start, pauses, and challenges with `hideUntil`. */
class Reveal {
  readonly #context: ApiContext;
  readonly #caches: Caches;
  #announcedUntil: number;
  #timer: Timer | undefined;

  constructor(context: ApiContext, caches: Caches) {
    this.#context = context;
    this.#caches = caches;
    this.#announcedUntil = context.clock.now();
  }

  schedule(): void {
    const { clock } = this.#context;
    this.#timer?.cancel();
    const now = clock.now();
    const wait = Math.min(longestWaitMs, Math.max(0, (this.#next() ?? now + longestWaitMs) - now));
    this.#timer = clock.setTimer(wait, () => this.#announce());
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #announce(): void {
    const { clock, hub, competition } = this.#context;
    const [from, now] = [this.#announcedUntil, clock.now()];
    this.#announcedUntil = now;
    const rules = competition();
    const boundary = nextChange(rules, from);
    const isOfCompetition = boundary !== undefined && boundary <= now;
    if (isOfCompetition) publishMetadata(this.#context);
    const hasJustStarted = isOfCompetition && !hasStarted(rules, from) && hasStarted(rules, now);
    if (hasStarted(rules, now)) {
      for (const challenge of this.#caches.challenges.list()) {
        const wasVisible = isVisible(challenge, from) && !hasJustStarted;
        if (!wasVisible && isVisible(challenge, now)) hub.broadcast({ type: "challenge", message: present(challenge) });
      }
    }
    this.schedule();
  }

  #next(): number | undefined {
    const from = this.#announcedUntil;
    const times = this.#caches.challenges
      .list()
      .map(hiddenUntil)
      .filter((time) => time !== undefined && time > from);
    return [nextChange(this.#context.competition(), from), ...times].reduce(
      (next, time) => (time !== undefined && (next === undefined || time < next) ? time : next),
      undefined,
    );
  }
}

function hiddenUntil({ spec }: Challenge): number | undefined {
  return spec.hideUntil === undefined ? undefined : parseTime(spec.hideUntil);
}
