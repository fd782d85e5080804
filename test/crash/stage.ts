/**
 * Where one life is lived: a part of Berg of its own that can be killed, confined to a namespace of its own, so that many
 * lives go on side by side in one world. What was seen at each stop on the way is kept, to be compared with the same life
 * when nobody was killed.
 */
import { randomUUID } from "node:crypto";
import type { Stored } from "@berg/apimachinery";
import { Namespaces } from "@berg/kube";
import { type ChallengeInstance, ChallengeInstances, labels } from "@berg/resources";
import type { Seen } from "../faults/proxy.ts";
import { eventually } from "../runtime/eventually.ts";
import { canary } from "../scenarios/cells.ts";
import type { RunningPart } from "../scenarios/in-process.ts";
import type { ChallengeBuilder, InstanceBuilder } from "../scenarios/objects.ts";
import type { World } from "../scenarios/world.ts";

export type Instance = Stored<ChallengeInstance>;

/** Starts one of those that can be killed, to look after the instances of one namespace. */
export type Start = (world: World, namespace: string) => Promise<RunningPart>;

export const controllerInProcess: Start = (world, only) => world.startController({ only });

/** Starts, kills and waits of many runs share two processors. */
const within = { within: 120_000 };

export class Stage {
  readonly world: World;
  readonly namespace: string;
  /** Every instance of this life, in the order in which they were created. */
  readonly instances: Instance[] = [];
  /** By which its objects are known. */
  readonly uids = new Set<string>();
  /** What was seen of an instance at each stop. */
  readonly stops = new Map<string, Instance>();
  readonly #start: Start;
  /** One after the other. */
  readonly #started: RunningPart[] = [];
  readonly #beside = new Set<RunningPart>();

  private constructor(world: World, namespace: string, start: Start) {
    this.world = world;
    this.namespace = namespace;
    this.#start = start;
  }

  static async open(world: World, start: Start): Promise<Stage> {
    const namespace = `berg-${randomUUID().slice(0, 8)}`;
    await world.client.create(Namespaces, { metadata: { name: namespace } });
    const stage = new Stage(world, namespace, start);
    await stage.restart();
    return stage;
  }

  /** The one that runs now. */
  get running(): RunningPart {
    const newest = this.#started.at(-1);
    if (!newest) throw new Error("nothing was started");
    return newest;
  }

  /** Another one in place of the one that was killed. */
  async restart(): Promise<void> {
    this.#started.push(await this.#start(this.world, this.namespace));
  }

  /** All that was asked of the server by whoever ran here, oldest first. */
  writes(): Seen[] {
    return this.#started.flatMap((each) => each.writes());
  }

  /** Another part, which nobody kills at its writes. */
  async beside(start: Start): Promise<RunningPart> {
    const part = await start(this.world, this.namespace);
    this.#beside.add(part);
    const kill = () => {
      this.#beside.delete(part);
      return part.kill();
    };
    return { ...part, kill };
  }

  /** With an object of every kind that the controller makes. */
  challenge(): ChallengeBuilder {
    return this.world
      .challenge()
      .container("web")
      .port(80, "publicHttpRoute")
      .port(1337, "publicPort")
      .flag({ content: { path: "/home/{entropy}/flag" } })
      .behaving("ready after=300ms");
  }

  instance(challenge: { metadata: { namespace?: string; name: string } }): InstanceBuilder {
    return this.world.instance(challenge).metadata({ namespace: this.namespace }).flag(canary).timeout("1h");
  }

  async create(builder: InstanceBuilder): Promise<Instance> {
    const instance = await builder.create();
    this.instances.push(instance);
    this.uids.add(instance.metadata.uid);
    return instance;
  }

  /** Goes on when it holds, and keeps what was seen then under that name. */
  async stop(name: string, instance: Instance, holds: (instance: Instance) => unknown): Promise<Instance> {
    const seen = await this.world.until(instance, holds, within);
    this.stops.set(name, seen);
    return seen;
  }

  async change({ metadata }: Instance, spec: object): Promise<void> {
    const patch = { type: "merge", body: { spec } } as const;
    await this.world.client.patch(ChallengeInstances, metadata.namespace ?? "", metadata.name, patch);
  }

  async remove({ metadata }: Instance): Promise<void> {
    await this.world.client.delete(ChallengeInstances, metadata.namespace ?? "", metadata.name);
  }

  /** The last word about an instance, and then nothing. */
  async gone(instance: Instance): Promise<void> {
    this.stops.set(`gone ${this.instances.indexOf(instance) + 1}`, await this.world.untilGone(instance, within));
    await this.nothingIsLeft();
  }

  /** Of what is marked as this life's, the instances themselves apart. */
  async nothingIsLeft(): Promise<void> {
    await eventually("nothing is left of it", () => this.#left() === 0, within.within);
  }

  #left(): number {
    return this.world.followed.resources
      .flatMap((informer) => informer.list())
      .filter((object) => this.uids.has(object.metadata.labels?.[labels.instanceUid] ?? "")).length;
  }

  async close(): Promise<void> {
    await Promise.all([this.running, ...this.#beside].map((part) => part.stop()));
  }
}
