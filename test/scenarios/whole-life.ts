/**
 * One whole life of an instance, with every write that it takes: made, running, renewed, its time over, gone. What can be
 * seen of it afterwards is the same in every life, whatever happened to its controller meanwhile.
 */
import { setTimeout as delay } from "node:timers/promises";
import type { KubeObject, Stored } from "@berg/apimachinery";
import { type ChallengeInstance, ChallengeInstances, labels } from "@berg/resources";
import type { Point, Seen } from "../faults/proxy.ts";
import type { Observed } from "../invariants/record.ts";
import { eventually } from "../runtime/eventually.ts";
import type { Cell } from "./cells.ts";
import type { InstanceBuilder } from "./objects.ts";
import { isRunning, namespaceOf } from "./seeing.ts";
import type { World } from "./world.ts";

/** Which write of a life: the second `update challengeinstances/status`, say. */
export type WritePoint = Required<Pick<Point, "resource" | "verb" | "subresource" | "nth">>;

export interface Lived {
  /** The last version of everything that was made for it, without what differs from life to life. */
  children: Record<string, unknown>;
  /** How often each object was made, how often it was deleted, and how often its spec was written. */
  tally: Record<string, string>;
  /** The status of its last moment as Running, and the one with which it went. */
  running: unknown;
  last: unknown;
}

const within = { within: 90_000 };

export class WholeLife {
  readonly #world: World;
  readonly #challenge: string;
  readonly #builder: InstanceBuilder;

  private constructor(world: World, challenge: string, builder: InstanceBuilder) {
    this.#world = world;
    this.#challenge = challenge;
    this.#builder = builder;
  }

  /** Nothing has happened yet: faults can be laid in its way. */
  static async prepare(cell: Cell): Promise<WholeLife> {
    const challenge = await cell.world
      .challenge()
      .container("web")
      .port(80, "publicHttpRoute")
      .port(1337, "publicPort")
      .flag({ content: { path: "/flag" } })
      // Later than all else is made, or it would never be Starting.
      .behaving("ready after=4s")
      .create();
    return new WholeLife(cell.world, challenge.metadata.name, cell.instance(challenge).timeout("1h"));
  }

  /** Whether a request is about this life. */
  isOf = ({ namespace, name }: Pick<Seen, "namespace" | "name">): boolean => {
    const { metadata, spec } = this.#builder.manifest;
    const own = namespaceOf({ spec });
    return namespace === own || [own, metadata.name].includes(name) || name.startsWith(`${this.#challenge}-`);
  };

  create(): Promise<Stored<ChallengeInstance>> {
    return this.#builder.create();
  }

  async live(): Promise<Lived> {
    const world = this.#world;
    const instance = await this.create();
    const change = (spec: object) =>
      world.client.patch(ChallengeInstances, instance.metadata.namespace ?? "", instance.metadata.name, {
        type: "merge",
        body: { spec },
      });
    const running = await world.until(instance, isRunning, within);
    // A second later, or there is nothing to gain.
    const gainAt = Date.parse(running.status?.startedAt ?? "") + 2000;
    await delay(Math.max(0, gainAt - Date.now()));
    await change({ renewals: 1 });
    await world.until(instance, ({ status }) => status?.renewals === 1, within);
    await change({ until: new Date(Date.now() + 2000).toISOString().replace(/\.\d+/, "") });
    const gone = await world.untilGone(instance, within);
    await eventually("nothing is left of it", () => this.left(instance) === 0);
    return this.#lived(instance, gone);
  }

  /** How many objects of it are there now. */
  left({ metadata }: Stored<ChallengeInstance>): number {
    return this.#world.followed.resources
      .flatMap((informer) => informer.list())
      .filter((object) => object.metadata.labels?.[labels.instanceUid] === metadata.uid).length;
  }

  #lived({ metadata: { uid } }: Stored<ChallengeInstance>, gone: Stored<ChallengeInstance>): Lived {
    const { changes } = this.#world.followed;
    const ofChildren = changes.filter(
      ({ resource, object }) => object.metadata.labels?.[labels.instanceUid] === uid && !others.has(resource),
    );
    const running = changes
      .filter(({ object }) => object.metadata.uid === uid)
      .map(({ object }) => object as Stored<ChallengeInstance>)
      .findLast(isRunning);
    return {
      children: Object.fromEntries(
        ofChildren
          .filter(({ object }) => object.metadata.deletionTimestamp === undefined)
          .map(({ object }) => [nameOf(object), masked(withoutStatus(object))]),
      ),
      tally: tallyOf(ofChildren),
      running: masked(withSortedConditions(running?.status)),
      last: masked(withSortedConditions(gone.status)),
    };
  }
}

/** The writes of a life, in the order in which they came. */
export function writePoints(writes: readonly Seen[], life: WholeLife): WritePoint[] {
  const counts = new Map<string, number>();
  return writes
    .filter((write) => life.isOf(write) && write.resource !== "events")
    .map(({ resource, verb, subresource }) => {
      const nth = (counts.get(`${verb} ${resource}/${subresource}`) ?? 0) + 1;
      counts.set(`${verb} ${resource}/${subresource}`, nth);
      return { resource, verb, subresource, nth };
    });
}

export function formatPoint({ verb, resource, subresource, nth }: WritePoint): string {
  return `${verb} ${resource}${subresource && `/${subresource}`} ${nth}`;
}

/** Of others' making: how many there were is theirs to say. */
const others = new Set(["pods", "replicasets", "endpointslices", "events"]);

function nameOf({ kind, metadata }: KubeObject): string {
  return `${kind}/${metadata.namespace === undefined ? "own" : metadata.name}`;
}

function tallyOf(changes: readonly Observed[]): Record<string, string> {
  const tally = new Map<string, { made: number; deleted: number; generation: number }>();
  for (const { type, object } of changes) {
    const counts = tally.get(nameOf(object)) ?? { made: 0, deleted: 0, generation: 0 };
    if (type === "added") counts.made++;
    if (type === "deleted") counts.deleted++;
    // Deleting raises it, too.
    if (!object.metadata.deletionTimestamp)
      counts.generation = Math.max(counts.generation, object.metadata.generation ?? 0);
    tally.set(nameOf(object), counts);
  }
  return Object.fromEntries([...tally].map(([name, counts]) => [name, JSON.stringify(counts)]));
}

function withoutStatus(object: KubeObject): object {
  const { status: _, metadata, ...rest } = object as KubeObject & { status?: unknown };
  const { name, namespace, labels: ofObject, annotations } = metadata;
  return { ...rest, metadata: { name, namespace, labels: ofObject, annotations } };
}

function withSortedConditions(status: ChallengeInstance["status"]): object {
  const conditions = (status?.conditions ?? []).toSorted((a, b) => (a.type < b.type ? -1 : 1));
  return { ...status, conditions };
}

const masks: [RegExp, string][] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "<time>"],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<id>"],
  [/\b[0-9a-f]{32}\b/g, "<route>"],
  [/challenge-[0-9a-f]{8}(-[0-9a-f]{20})?/g, "<challenge>"],
];

/** Ids, times, addresses and counters differ from life to life. */
function masked(value: object): unknown {
  const text = JSON.stringify(value, (key, part) => {
    if (/^(clusterIPs?|nodePort|observedGeneration|resourceVersion)$/.test(key)) return undefined;
    return key === "port" && part >= 30_000 ? "<node port>" : part;
  });
  return JSON.parse(masks.reduce((so, [pattern, mask]) => so.replace(pattern, mask), text));
}
