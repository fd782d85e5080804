/** Looks for ghosts at every interval, and at those that it has found when their time is up. For janitor and listener. */
import type { ObjectKey } from "@berg/apimachinery";
import type { Clock, Logger, Manager } from "@berg/kube";
import type { Copies } from "../removing/copies.ts";
import type { GoingNamespaces } from "../removing/going.ts";
import type { Action } from "../removing/remove.ts";
import { chooseGhosts } from "./choose.ts";
import { findGhosts, Sightings } from "./find.ts";
import { sweepGhosts } from "./sweep.ts";

export interface GhostControllerOptions {
  /** In logs and metrics. */
  name: string;
  copies: Copies;
  going: GoingNamespaces;
  graceMs: number;
  intervalMs: number;
  clock: Clock;
  report(action: Action, log: Logger): void;
  /** Told at each look whether there are too many ghosts to be true. */
  braked(isBraked: boolean): void;
}

/** All ghosts are looked for at once, so there is one key. */
const theSweep: ObjectKey = "ghosts";

export function addGhostController(manager: Manager, options: GhostControllerOptions): void {
  const { name, copies, going, graceMs, intervalMs, clock, report, braked } = options;
  const { client } = manager;
  const sightings = new Sightings();
  const begin = (enqueue: (key: ObjectKey) => void) => {
    enqueue(theSweep);
    return () => {};
  };
  manager.addController({
    name,
    workers: 1,
    watches: [{ informers: Object.values(copies.informers), start: begin, all: () => [theSweep] }],
    async reconcile(_, { log, signal }) {
      const now = clock.now();
      const { namespaces } = copies;
      const ghosts = findGhosts(namespaces, new Set(copies.instances.map(({ metadata }) => metadata.uid)));
      sightings.note(ghosts, now);
      const { firstSeen } = sightings;
      const choice = chooseGhosts(ghosts, { firstSeen, now, graceMs, namespaces: namespaces.length });
      braked(choice.brake !== undefined);
      if (choice.brake !== undefined) log.warn({ ghosts: ghosts.length }, choice.brake);
      const removing = { client, going, signal, report: (action: Action) => report(action, log) };
      const lookAgainAt = await sweepGhosts(choice.sweep, { removing, sight: copies, now });
      const times = [now + intervalMs, choice.nextAt, lookAgainAt].filter((time) => time !== undefined);
      return { requeueAfterMs: Math.max(0, Math.min(...times) - now) };
    },
  });
}
