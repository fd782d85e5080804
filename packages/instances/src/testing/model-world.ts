/** Things that happen to a model cluster, as data: fast-check makes them up, and a run is a list of them. */
import { type KubeObject, keyOf, makeKey, type ResourceType, type Stored } from "@berg/apimachinery";
import { ConfigMaps, Deployments, Namespaces, NetworkPolicies, ResourceQuotas, Services } from "@berg/kube";
import { refusal } from "@berg/kube/testing";
import {
  type Challenge,
  type ChallengeInstance,
  ChallengeInstances,
  Challenges,
  foreignConditions,
  labels,
} from "@berg/resources";
import fc from "fast-check";
import { containerOf } from "../builders/testing/blueprints.ts";
import type { Settings } from "../settings/settings.ts";
import { home, makeChallenge, makeInstance } from "./make-objects.ts";
import { Crash } from "./model-client.ts";
import { ModelCluster, type PodScript } from "./model-cluster.ts";
import { ModelController } from "./model-controller.ts";

const owners = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"];
const containers = [
  containerOf("web", [{ port: 80, name: "web", type: "publicHttpRoute" }], {
    dynamicFlag: { content: { path: "/flag" } },
  }),
  containerOf("game", [{ port: 1337, name: "game", type: "publicPort" }]),
];

/** Which of the instances, of the objects, … is meant: any number will do. */
type Pick = number;

export type Event =
  | { is: "challenge created" }
  | { is: "challenge deleted" }
  | { is: "challenge described" }
  | { is: "challenge edited"; image: number }
  | { is: "instance created"; owner: Pick; hasFlag: boolean; atOnce?: boolean }
  | { is: "instance deleted"; which: Pick }
  | { is: "instance ended"; which: Pick }
  | { is: "flag given"; which: Pick }
  | { is: "renewal asked"; which: Pick }
  | { is: "restart asked"; which: Pick }
  | { is: "child deleted"; which: Pick }
  | { is: "child edited"; which: Pick }
  | { is: "namespace deleted"; which: Pick }
  | { is: "namespace taken"; owner: Pick }
  | { is: "marks removed"; which: Pick }
  | { is: "finalizers dropped"; which: Pick; ends: boolean }
  | { is: "pods behave"; container: string; script: PodScript }
  | { is: "listener speaks"; which: Pick; stuck: boolean; reason: string }
  | { is: "kinds appear" }
  | { is: "clock steps"; aheadMinutes: number }
  | { is: "minutes pass"; count: number };

/** What the controller and the watches get done meanwhile. */
export type Meanwhile =
  | { do: "turn"; together: number }
  | { do: "tick" }
  | { do: "deliver"; kinds: Pick; most: number }
  | { do: "crash"; afterWrites: number }
  | { do: "refuse"; afterWrites: number; code: number }
  | { do: "settle" };

const which = fc.nat({ max: 3 });
const hasFlag = fc.nat({ max: 3 }).map((number) => number > 0);

/** Whatever the order of looks at them, these end in the same state, if the Challenge is there in the end. */
export const calmEvent: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ is: fc.constant("challenge created" as const) }),
  fc.record({ is: fc.constant("challenge deleted" as const) }),
  fc.record({ is: fc.constant("challenge described" as const) }),
  {
    arbitrary: fc.record({ is: fc.constant("instance created" as const), owner: which, hasFlag }),
    weight: 4,
  },
  fc.record({ is: fc.constant("instance deleted" as const), which }),
  fc.record({ is: fc.constant("instance ended" as const), which }),
  { arbitrary: fc.record({ is: fc.constant("flag given" as const), which }), weight: 2 },
  fc.record({ is: fc.constant("renewal asked" as const), which }),
  { arbitrary: fc.record({ is: fc.constant("restart asked" as const), which }), weight: 2 },
  { arbitrary: fc.record({ is: fc.constant("child deleted" as const), which }), weight: 2 },
  { arbitrary: fc.record({ is: fc.constant("child edited" as const), which }), weight: 2 },
  {
    arbitrary: fc.record({
      is: fc.constant("pods behave" as const),
      container: fc.constantFrom("web", "game"),
      script: fc.constantFrom<PodScript>("ready", "unready", "crashing", "unpullable"),
    }),
    weight: 2,
  },
  {
    arbitrary: fc.record({
      is: fc.constant("listener speaks" as const),
      which,
      stuck: fc.nat({ max: 3 }).map((number) => number > 0),
      // One of them is a word of ours, by which we would take everything away.
      reason: fc.constantFrom("ImageCannotBePulled", "ContainerCrashes", "ManifestRefused"),
    }),
    weight: 3,
  },
  fc.record({ is: fc.constant("kinds appear" as const) }),
);

/** Here it matters who was first. */
export const wildEvent: fc.Arbitrary<Event> = fc.oneof(
  { arbitrary: calmEvent, weight: 4 },
  fc.record({ is: fc.constant("challenge edited" as const), image: which }),
  fc.record({ is: fc.constant("instance created" as const), owner: which, hasFlag, atOnce: fc.constant(true) }),
  fc.record({ is: fc.constant("namespace taken" as const), owner: which }),
  fc.record({ is: fc.constant("marks removed" as const), which }),
  fc.record({ is: fc.constant("finalizers dropped" as const), which, ends: fc.boolean() }),
  fc.record({ is: fc.constant("namespace deleted" as const), which }),
  fc.record({ is: fc.constant("clock steps" as const), aheadMinutes: fc.constantFrom(0, 1, 10, -1, -10) }),
  fc.record({ is: fc.constant("minutes pass" as const), count: fc.nat({ max: 90 }) }),
);

export const meanwhile: fc.Arbitrary<Meanwhile> = fc.oneof(
  { arbitrary: fc.record({ do: fc.constant("turn" as const), together: fc.integer({ min: 1, max: 3 }) }), weight: 4 },
  { arbitrary: fc.record({ do: fc.constant("tick" as const) }), weight: 3 },
  {
    arbitrary: fc.record({
      do: fc.constant("deliver" as const),
      kinds: fc.nat({ max: 12 }),
      most: fc.integer({ min: 1, max: 4 }),
    }),
    weight: 6,
  },
  { arbitrary: fc.record({ do: fc.constant("crash" as const), afterWrites: fc.nat({ max: 14 }) }), weight: 3 },
  {
    arbitrary: fc.record({
      do: fc.constant("refuse" as const),
      afterWrites: fc.nat({ max: 14 }),
      code: fc.constantFrom(403, 409, 429, 500),
    }),
    weight: 3,
  },
  fc.record({ do: fc.constant("settle" as const) }),
);

export class ModelWorld {
  readonly cluster = new ModelCluster();
  readonly controller: ModelController;
  #created = 0;

  constructor(settings: Settings, hasKinds: boolean, mostGoing?: number) {
    this.controller = new ModelController(this.cluster, settings, mostGoing);
    if (!hasKinds) this.controller.kinds.clear();
  }

  happen(event: Event): void {
    const { cluster } = this;
    switch (event.is) {
      case "challenge created":
        if (!this.#challenge) cluster.create("hand", Challenges, makeChallenge({ containers }));
        break;
      case "challenge deleted":
        if (this.#challenge) cluster.delete("hand", Challenges, keyOf(this.#challenge));
        break;
      case "challenge described":
        this.#editChallenge((spec) => {
          spec.description = "Another text";
        });
        break;
      case "challenge edited":
        this.#editChallenge((spec) => {
          spec.containers = containers.map((container) => ({ ...container, image: `cookie-jar:${event.image}` }));
        });
        break;
      case "instance created":
        this.#createInstance(event);
        break;
      case "instance deleted": {
        const instance = this.#instance(event.which);
        if (instance) cluster.delete("hand", ChallengeInstances, keyOf(instance));
        break;
      }
      case "instance ended":
        this.#editInstance(event.which, (spec) => {
          spec.terminationReason ??= "AdminTermination";
        });
        break;
      case "flag given":
        this.#editInstance(event.which, (spec) => {
          spec.flag ||= "flag{a-canary-in-the-mine}";
        });
        break;
      case "renewal asked":
        this.#editInstance(event.which, (spec) => {
          spec.renewals += 1;
        });
        break;
      case "restart asked":
        this.#editInstance(event.which, (spec) => {
          spec.restarts += 1;
        });
        break;
      case "child deleted": {
        const child = this.#pickChild(event.which);
        if (child) cluster.delete("hand", child.type, keyOf(child.object));
        break;
      }
      case "child edited":
        this.#editChild(event.which);
        break;
      case "namespace deleted": {
        const namespace = this.#pick(Namespaces, event.which);
        if (namespace) cluster.delete("hand", Namespaces, keyOf(namespace));
        break;
      }
      case "namespace taken":
        this.#takeNamespace(`challenge-${owners[event.owner % owners.length]}`);
        break;
      case "marks removed": {
        const namespace = this.#pick(Namespaces, event.which);
        if (namespace) cluster.edit("hand", namespace, ({ metadata }) => delete metadata.labels);
        break;
      }
      case "finalizers dropped":
        this.#dropFinalizers(event);
        break;
      case "pods behave":
        cluster.scripts.set(event.container, event.script);
        break;
      case "listener speaks":
        this.#speak(event);
        break;
      case "kinds appear":
        this.controller.kinds.add("HTTPRoute");
        break;
      case "clock steps":
        this.controller.aheadMs = event.aheadMinutes * 60_000;
        break;
      case "minutes pass":
        // No copy is behind for so long: a watch that says nothing is noticed within 90 s.
        if (event.count > 1) this.controller.deliver();
        cluster.now += event.count * 60_000;
    }
  }

  async pass(step: Meanwhile): Promise<void> {
    const { controller, cluster } = this;
    switch (step.do) {
      case "turn":
        await controller.turn(step.together);
        break;
      case "tick":
        cluster.tick();
        break;
      case "deliver":
        controller.deliver((kind) => step.kinds > 5 || kind.length % 6 === step.kinds, step.most);
        break;
      case "crash":
        await this.#failingAfter(step.afterWrites, () => new Crash());
        break;
      case "refuse":
        await this.#failingAfter(step.afterWrites, () => refusal(step.code, { reason: reasonOf[step.code] ?? "" }));
        break;
      case "settle":
        await controller.settle();
    }
  }

  /** One look, of which only the first writes happen. A refusal hits one write; a crash all that would follow. */
  async #failingAfter(writes: number, failure: () => Error): Promise<void> {
    const { controller } = this;
    let left = writes;
    controller.client.beforeWrite = () => {
      const error = failure();
      if (error instanceof Crash ? left-- <= 0 : left-- === 0) throw error;
    };
    let crashed = false;
    try {
      await controller.turn(2);
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      crashed = true;
    }
    controller.client.beforeWrite = () => {};
    if (crashed) controller.restart();
  }

  /** Every trouble is over, and everybody has had the time that they need. */
  async end(): Promise<void> {
    this.cluster.scripts.clear();
    // Of a namespace that is not ours nobody is told: it is found when its owner's instance is next looked at.
    for (const instance of this.cluster.all("ChallengeInstance")) this.controller.enqueue(keyOf(instance));
    await this.controller.settle();
  }

  get #challenge(): Stored<Challenge> | undefined {
    return this.cluster.find(Challenges, makeKey(home, "cookie-jar"));
  }

  /** By its number, so that the same one is meant whatever has become of the others. */
  #instance(which: Pick): Stored<ChallengeInstance> | undefined {
    return this.cluster.find(ChallengeInstances, makeKey(home, `instance-${which}`));
  }

  #pick<T extends KubeObject>({ kind }: ResourceType<T>, which: Pick): Stored<T> | undefined {
    const all = this.cluster.all<T>(kind);
    return all[which % Math.max(1, all.length)];
  }

  #pickChild(which: Pick): { type: ResourceType; object: Stored<KubeObject> } | undefined {
    const all = [Deployments, Services, NetworkPolicies, ConfigMaps, ResourceQuotas].flatMap((type) =>
      this.cluster.all<KubeObject>(type.kind).map((object) => ({ type: type as ResourceType, object })),
    );
    return all[which % Math.max(1, all.length)];
  }

  /** By somebody who does not know us. */
  #takeNamespace(name: string): void {
    if (!this.cluster.find(Namespaces, name)) this.cluster.create("hand", Namespaces, { metadata: { name } });
  }

  #createInstance({ owner, hasFlag, atOnce }: { owner: Pick; hasFlag: boolean; atOnce?: boolean }): void {
    const ownerId = owners[owner % owners.length] as string;
    // The lowest UID last, so that one that is created in the same second is the stronger one by its UID.
    const uid = `uid-${9999 - this.#created}`;
    if (!atOnce) this.cluster.now += 1000;
    const { object } = makeInstance(`instance-${this.#created++}`, ownerId).createdAt(this.cluster.now);
    const flag = hasFlag ? { flag: "flag{a-canary-in-the-mine}" } : {};
    const metadata = { ...object.metadata, uid };
    this.cluster.create("hand", ChallengeInstances, { ...object, metadata, spec: { ...object.spec, ...flag } });
  }

  #editInstance(which: Pick, change: (spec: ChallengeInstance["spec"]) => void): void {
    const instance = this.#instance(which);
    if (instance) this.cluster.edit("hand", instance, ({ spec }) => change(spec));
  }

  /** As `kubectl replace` does with a file that names none. What is deleted would be gone, and nobody could look after it. */
  #dropFinalizers({ which, ends }: { which: Pick; ends: boolean }): void {
    const instance = this.#instance(which);
    if (!instance || instance.metadata.deletionTimestamp) return;
    this.cluster.edit("hand", instance, ({ metadata, spec }) => {
      delete metadata.finalizers;
      if (ends) spec.terminationReason ??= "AdminTermination";
    });
  }

  /** Whether it is stuck, and what runs there: with its first word behind what is there, and then in its place. */
  #speak({ which, stuck, reason }: { which: Pick; stuck: boolean; reason: string }): void {
    const instance = this.#instance(which);
    if (!instance) return;
    const { conditions = [] } = instance.status ?? {};
    const said = {
      type: foreignConditions.stuck,
      status: stuck ? "True" : "False",
      reason,
      message: "It is stuck",
    } as const;
    const isSaid = conditions.some(({ type }) => type === said.type);
    const next = isSaid ? conditions.map((known) => (known.type === said.type ? said : known)) : [...conditions, said];
    const status = { ...instance.status, conditions: next, runtime: { state: "RUNNING" } };
    this.cluster.updateStatus("hand", { ...instance, status });
  }

  #editChallenge(change: (spec: Challenge["spec"]) => void): void {
    if (this.#challenge) this.cluster.edit("hand", this.#challenge, ({ spec }) => change(spec));
  }

  #editChild(which: Pick): void {
    const child = this.#pickChild(which);
    if (!child) return;
    this.cluster.edit(
      "hand",
      child.object as Stored<KubeObject & { spec?: Record<string, unknown>; data?: object }>,
      (draft) => {
        if (draft.data) draft.data = { flag: "flag{of-somebody-else}" };
        else if (draft.spec) Object.assign(draft.spec, edits[draft.kind]);
      },
    );
  }
}

const edits: Record<string, object> = {
  Deployment: { replicas: 0 },
  Service: { selector: {} },
  NetworkPolicy: { ingress: [{}] },
  ResourceQuota: { hard: {} },
};

const reasonOf: Record<number, string> = {
  403: "Forbidden",
  409: "Conflict",
  429: "TooManyRequests",
  500: "InternalError",
};

/** What is there in the end, without what may differ from run to run: names and numbers given by the cluster, and times. */
export function endState({ cluster }: ModelWorld): Record<string, unknown> {
  const timesAndNumbers = new Set(["uid", "resourceVersion", "generation", "creationTimestamp", "observedGeneration"]);
  const moments = /(At|Time|^history|^nodePort|^port|^expiresSoon|instance-id|instanceId)$/;
  const strip = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(strip);
    if (typeof value !== "object" || value === null) return value;
    const fields = Object.entries(value).filter(([name]) => !timesAndNumbers.has(name) && !moments.test(name));
    return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, inner]) => [name, strip(inner)]));
  };
  const named = cluster.objects().flatMap((object): [string, unknown][] => {
    if (object.kind === "ControllerRevision") return [];
    // Pods and what makes them are called anew each time.
    const { kind, metadata } = object;
    const isNamedAnew = kind === "Pod" || kind === "ReplicaSet";
    const name = isNamedAnew ? metadata.labels?.[labels.container] : metadata.name;
    const plain = strip(withSortedConditions({ ...object, metadata: { ...metadata, name, ownerReferences: [] } }));
    return [[`${kind} ${metadata.namespace}/${name}`, plain]];
  });
  return Object.fromEntries(named);
}

/** Each condition stands where it was first said. */
function withSortedConditions(object: object): object {
  const { status } = object as { status?: { conditions?: { type: string }[] } };
  if (!status?.conditions) return object;
  const conditions = status.conditions.toSorted((a, b) => (a.type < b.type ? -1 : 1));
  return { ...object, status: { ...status, conditions } };
}
