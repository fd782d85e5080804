/**
 * One whole life with all three operators: a Cluster is asked for, gets an account and a Shoot, is ready and has its
 * administrators; a kubeconfig of it is issued, rotated, revoked and issued again; the Cluster is deleted, its account is
 * given back, and the request goes. In one of its runs the operators are killed at one write.
 */
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { type Cluster, Clusters, KubeconfigRequests } from "@berg/resources";
import { expect } from "vitest";
import { someInfrastructure } from "../../../packages/clusters/src/cluster/testing/make-objects.ts";
import { named, oidcConfig } from "../../../packages/clusters/src/cluster/testing/told.ts";
import { JumpClock } from "../../../packages/clusters/src/kubeconfig/testing/jump-clock.ts";
import { isShared } from "../../../packages/clusters/src/kubeconfig/testing/life.ts";
import { podReader } from "../../../packages/clusters/src/kubeconfig/testing/place.ts";
import { refusedInTime } from "../../../packages/clusters/src/kubeconfig/testing/tried.ts";
import { annotations } from "../../../packages/clusters/src/vocabulary.ts";
import { type Kill as KillAt, killsOf, Mortal } from "../../crash/mortal.ts";
import { eventually } from "../../runtime/eventually.ts";
import { Holder } from "./holder.ts";
import type { Ground, Landscape } from "./landscape.ts";
import { breachesOf } from "./laws.ts";
import { look, type Objects, objectName, objectsOf } from "./look.ts";
import type { At } from "./operators.ts";

export type Kill = KillAt<At>;

export interface Story {
  /** What was seen at each stop, without what differs from life to life. */
  stops: Record<string, unknown>;
  /** Around each of the writes. */
  kills: Kill[];
}

/** How often the status of a Cluster is written is a matter of how fast Gardener goes on. */
const mayBeMissing = ({ point }: Kill) => point.resource === "clusters" && point.subresource === "status";
/** Nothing is left to do when nothing has changed for so long. */
const quietMs = 400;
const patienceMs = 60_000;

/** Throws where a law is broken and, with `clean`, where anything comes to another end than there. */
export async function live(landscape: Landscape, name: string, clean?: Story, kill?: Kill): Promise<Story> {
  await using ground = await landscape.open(name);
  if (kill && isShared(kill)) await ground.place.withoutAccessNamespace();
  const clock = new JumpClock();
  const operators = await Mortal.start(() => ground.start(clock), kill);
  const path = new Path(ground, clean);
  try {
    await path.walk(clock);
    if (kill && !mayBeMissing(kill)) await operators.killed();
  } finally {
    await path.end();
    await operators.stop();
  }
  expect(await breachesOf(ground, operators, path)).toEqual([]);
  return { stops: path.stops, kills: killsOf(operators.parts[0]) };
}

export class Path {
  readonly stops: Story["stops"] = {};
  /** Every kubeconfig that was. */
  readonly published: string[] = [];
  /** Of those who had one that was to work. */
  readonly refusals: string[] = [];
  /** When the Cluster was deleted. */
  deletedAt = Number.POSITIVE_INFINITY;
  readonly #ground: Ground;
  readonly #clean: Story | undefined;
  readonly #users: { first: string; second: string };
  readonly #ends: Promise<void>[] = [];
  #request: Objects["request"];

  constructor(ground: Ground, clean: Story | undefined) {
    this.#ground = ground;
    this.#clean = clean;
    const [first, second] = ["a", "b"].map((user) => `${user}@${ground.name}.example.org`) as [string, string];
    this.#users = { first, second };
  }

  async walk(clock: JumpClock): Promise<void> {
    const { place, name } = this.#ground;
    const { first, second } = this.#users;
    await place.home.create(Clusters, clusterIn(name, [first, second]));
    await this.#stop("ready", ({ cluster }) => isReady(cluster, [first, second]));

    const rules = [podReader];
    const rights = { clusterRole: { rules }, role: { namespace: "default", rules } };
    this.#request = await place.request(objectName, { cluster: objectName, ...rights });
    await this.#stop("issued", ({ request }) => request?.status?.phase === "Issued");
    const holder = new Holder(place, objectName);
    try {
      await this.#change({ spec: { administrators: [second] } });
      await this.#stop("handed over", ({ cluster }) => isReady(cluster, [second]));
      await place.annotate(objectName, "rotate", "true");
      const isAsked = ({ request }: Objects) => request?.metadata.annotations?.[annotations.rotate] !== undefined;
      await this.#stop("replaced", (now) => now.request?.status?.epoch === 2 && !isAsked(now));
      clock.jump(30_000);
      await this.#stop("rotated", ({ request }) => request?.status?.phase === "Issued");
      this.#areRefused(this.published.slice(0, -1));
    } finally {
      this.refusals.push(...(await holder.stop()));
    }

    await place.annotate(objectName, "revoke", "true");
    await this.#stop("revoked", ({ request }) => request?.status?.phase === "Revoked");
    this.#areRefused(this.published);
    await place.annotate(objectName, "revoke", "false");
    await this.#stop("issued again", ({ request }) => request?.status?.phase === "Issued");

    this.deletedAt = performance.now();
    await place.home.delete(Clusters, name, objectName);
    await this.#stop("deleted", ({ cluster, subscription }) => !cluster && !subscription);
    this.#areRefused(this.published);
    await place.home.delete(KubeconfigRequests, name, objectName);
    await this.#stop("gone", ({ request }) => !request);
    await Promise.all(this.#ends);
  }

  /** Waits for what was begun, whatever became of it. */
  async end(): Promise<void> {
    await Promise.allSettled(this.#ends);
  }

  /** Goes on when it holds and, but for the clean life, when all is as it was there. */
  async #stop(what: string, holds: (now: Objects) => unknown): Promise<void> {
    const { name, place } = this.#ground;
    await eventually(`${name}: ${what}`, async () => holds(await objectsOf(this.#ground)), patienceMs);
    const seen = await this.#settled(this.#clean?.stops[what]);
    if (this.#clean) expect(seen, what).toEqual(this.#clean.stops[what]);
    this.stops[what] = seen;
    const { request } = await objectsOf(this.#ground);
    const text = request?.status?.secretRef && (await place.published(objectName));
    if (text !== undefined && text !== this.published.at(-1)) this.published.push(text);
  }

  async #settled(wanted: unknown): Promise<unknown> {
    const deadline = performance.now() + patienceMs;
    let seen = await look(this.#ground, this.#request);
    let since = performance.now();
    const isOver = () => (wanted ? isDeepStrictEqual(seen, wanted) : performance.now() - since > quietMs);
    while (!isOver() && performance.now() < deadline) {
      await delay(50);
      const next = await look(this.#ground, this.#request);
      if (!isDeepStrictEqual(next, seen)) since = performance.now();
      seen = next;
    }
    return seen;
  }

  #areRefused(kubeconfigs: readonly string[]): void {
    const { name } = this.#ground;
    const ends = kubeconfigs.map((text, at) => refusedInTime(text, `${name}: kubeconfig ${at + 1}`));
    for (const end of ends) end.catch(() => {});
    this.#ends.push(...ends);
  }

  async #change(body: object): Promise<void> {
    const { place, name } = this.#ground;
    await place.home.patch(Clusters, name, objectName, { type: "merge", body });
  }
}

function clusterIn(namespace: string, administrators: string[]) {
  const infrastructure = { ...someInfrastructure, machineType: "m5.large" };
  return {
    metadata: { name: objectName, namespace },
    spec: { ...named(objectName), infrastructure, oidcConfig, administrators, deletionPolicy: "Delete" as const },
  };
}

function isReady(cluster: Cluster | undefined, administrators: readonly string[]): boolean {
  const { phase, observedGeneration, administrators: are } = cluster?.status ?? {};
  const isNewest = observedGeneration === cluster?.metadata.generation;
  return phase === "Ready" && isNewest && isDeepStrictEqual(are, administrators);
}
