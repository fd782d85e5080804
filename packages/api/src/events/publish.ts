/** Sends live messages when the objects, rows or times behind them change. */
import { makeKey, parseTime, type Stored } from "@berg/apimachinery";
import type { Timer } from "@berg/kube";
import type { Challenge } from "@berg/resources";
import { isVisible, present } from "../challenges/routes.ts";
import { presentMetadata } from "../competition/routes.ts";
import { hasStarted, nextChange } from "../competition/rules.ts";
import type { ApiContext, Caches } from "../context.ts";
import { currentInstance, foreignInstance } from "../instances/commands.ts";
import { normalPath, presentPage } from "../pages/present.ts";
import type { Audience } from "./public-changes.ts";

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

/** Of every player with an open page, one after the other: there may be thousands. One that looks as before sends nothing. */
export async function publishInstancesAgain(context: ApiContext): Promise<void> {
  const players = new Set([...context.hub.connections].flatMap(({ identity }) => identity?.playerId ?? []));
  for (const id of players) await publishInstance(context, id);
}

export function publishMetadata(context: ApiContext): void {
  context.hub.broadcast({ type: "metadata", message: presentMetadata(context) });
}

/** Returns its undo. */
export function publishChanges(context: ApiContext, caches: Caches): () => void {
  const { hub } = context;
  const challenges = new ChallengeFeed(context, caches);
  const undo = [
    () => challenges.stop(),
    caches.instances.onChange(({ object }) => {
      void publishInstance(context, object.spec.ownerId);
    }),
    caches.challenges.onChange(({ object }) => challenges.update(object.metadata.name)),
    caches.pages.onChange((change) => {
      const { type, object } = change;
      const path = normalPath(object.spec.path);
      const before = type === "updated" ? normalPath(change.old.spec.path) : path;
      if (type === "deleted" || before !== path) hub.broadcast({ type: "page-delete", message: before });
      if (type !== "deleted") hub.broadcast({ type: "page", message: presentPage(object) });
    }),
    caches.competitions.onChange(() => challenges.updateAll()),
    // What changes until the next caches are filled is not seen.
    () => hub.restartChanges(),
  ];
  return () => {
    for (const one of undo) one();
  };
}

/** At least this often: the clock may be set. */
const longestWaitMs = 60_000;

interface Announced {
  readonly challenge: Stored<Challenge>;
  readonly audience: Audience;
}

/**
 * Announces challenges when those who may see them or their content change: by a change of the Challenge, of the start, or
 * by the time alone. One that is hidden is announced to nobody; before the start others are announced to admins.
 */
class ChallengeFeed {
  readonly #context: ApiContext;
  readonly #caches: Caches;
  readonly #announced = new Map<string, Announced>();
  #updatedAt: number;
  #timer: Timer | undefined;

  constructor(context: ApiContext, caches: Caches) {
    this.#context = context;
    this.#caches = caches;
    this.#updatedAt = context.clock.now();
  }

  update(name: string): void {
    this.#announce(name);
    this.#schedule();
  }

  updateAll(): void {
    const { clock, competition } = this.#context;
    const [from, now] = [this.#updatedAt, clock.now()];
    this.#updatedAt = now;
    const boundary = nextChange(competition(), from);
    if (boundary !== undefined && boundary <= now) publishMetadata(this.#context);
    const listed = this.#caches.challenges.list().map(({ metadata }) => metadata.name);
    for (const name of new Set([...listed, ...this.#announced.keys()])) this.#announce(name);
    this.#schedule();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #announce(name: string): void {
    const { hub, settings, clock, competition } = this.#context;
    const now = clock.now();
    const stored = this.#caches.challenges.get(makeKey(settings.namespace, name));
    const before = this.#announced.get(name);
    const audience: Audience = hasStarted(competition(), now) ? "all" : "admins";
    const isShown = stored !== undefined && isVisible(stored, now);
    if (before && (!isShown || (before.audience === "all" && audience === "admins"))) {
      hub.broadcast({ type: "challenge-delete", message: name }, before.audience);
      this.#announced.delete(name);
    }
    if (!isShown || (before?.challenge === stored && before.audience === audience)) return;
    this.#announced.set(name, { challenge: stored, audience });
    hub.broadcast({ type: "challenge", message: present(stored) }, audience);
  }

  #schedule(): void {
    const { clock } = this.#context;
    this.#timer?.cancel();
    const now = clock.now();
    const wait = Math.min(longestWaitMs, Math.max(0, (this.#nextChange() ?? now + longestWaitMs) - now));
    this.#timer = clock.setTimer(wait, () => this.updateAll());
  }

  #nextChange(): number | undefined {
    const from = this.#updatedAt;
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
