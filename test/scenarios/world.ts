/**
 * What scenarios stand on: a control plane with our kinds and the foreign ones, simulated pods, the controller under
 * test, and a watcher beside it that has an eye on everything. One world a test file; each test brings owners and
 * Challenges of its own, so that none disturbs another.
 *
 *     const world = await startWorld();
 *     const controller = await world.startController();
 *     const challenge = await world.challenge().container("web").port(80, "publicHttpRoute").create();
 *     const instance = await world.instance(challenge).create();
 *     await world.until(instance, ({ status }) => status?.phase === "Running");
 *     await world.check(); // throws the first invariant that was broken
 */
import { randomUUID } from "node:crypto";
import { isNotFound, type Stored } from "@berg/apimachinery";
import { type Client, type Connection, createClient, Leases, Namespaces, unlimited } from "@berg/kube";
import { type BehaviourChoice, type Simulator, type SimulatorOptions, startSimulator } from "@berg/local-node";
import {
  type ChallengeInstance,
  type CustomResourceDefinition,
  customResourceDefinitions,
  labels,
} from "@berg/resources";
import { startControlPlane } from "../control-plane/control-plane.ts";
import type { Seen } from "../faults/proxy.ts";
import { type InstallOptions, installForeignCrds } from "../foreign-crds/install.ts";
import { violations } from "../invariants/check.ts";
import { Followed } from "../invariants/follow.ts";
import { isInstance } from "../invariants/record.ts";
import { type ControllerOptions, type RunningController, type StartController, startInProcess } from "./controllers.ts";
import { CustomResourceDefinitions, untilServed } from "./crds.ts";
import { TestGateway } from "./gateway.ts";
import type { RunningPart } from "./in-process.ts";
import { type ListenerOptions, type RunningListener, startListenerInProcess } from "./listeners.ts";
import { behaviourKey, ChallengeBuilder, InstanceBuilder } from "./objects.ts";
import { reportOn } from "./report.ts";

/** All that a scenario asks of a control plane, so that it runs on any. */
export interface WorldControlPlane {
  readonly connection: Connection;
  stop(): Promise<void>;
}

export interface WorldOptions {
  /** A real one, without a scheduler, unless told otherwise. */
  controlPlane?: () => Promise<WorldControlPlane>;
  /** Environment variables of every controller, unless it has its own. */
  env?: Record<string, string>;
  /** Simulated pods unless told otherwise; "none" where the control plane has real nodes. */
  simulator?: Omit<SimulatorOptions, "connection" | "client"> | "none";
  /** In place of our own CRDs of the same names. */
  definitions?: Record<string, CustomResourceDefinition>;
  /** All of them, and the real ones, unless told otherwise. */
  foreignCrds?: InstallOptions;
}

interface Named {
  metadata: { uid: string; name: string };
}

const defaultWaitMs = 30_000;

export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const controlPlane = await (options.controlPlane ?? (() => startControlPlane({ scheduler: false })))();
  const client = createClient({ connection: controlPlane.connection, component: "test", rate: unlimited });
  const behaviours = new Map<string, BehaviourChoice>();
  const parts: (() => Promise<unknown>)[] = [() => controlPlane.stop(), () => client.close()];
  try {
    const definitions = customResourceDefinitions().map((ours) => options.definitions?.[ours.metadata.name] ?? ours);
    for (const definition of definitions) await client.create(CustomResourceDefinitions, definition);
    await Promise.all([
      ...definitions.map((definition) => untilServed(client, definition)),
      installForeignCrds(client, options.foreignCrds),
      client.create(Namespaces, { metadata: { name: World.namespace } }),
    ]);
    const simulator = await simulatorOf(options, controlPlane, behaviours);
    if (simulator) parts.push(() => simulator.stop());
    const gateway = new TestGateway(client);
    parts.push(() => gateway[Symbol.asyncDispose]());
    const followed = await Followed.start(client);
    parts.push(() => followed.stop());
    const { env = {}, foreignCrds = {} } = options;
    return new World({ controlPlane, client, simulator, gateway, followed, behaviours, env, foreignCrds, parts });
  } catch (error) {
    await stopAll(parts);
    throw error;
  }
}

async function simulatorOf(
  { simulator = {} }: WorldOptions,
  { connection }: WorldControlPlane,
  behaviours: ReadonlyMap<string, BehaviourChoice>,
): Promise<Simulator | undefined> {
  if (simulator === "none") return undefined;
  return startSimulator({
    ...simulator,
    connection,
    behaviour(pod) {
      const { [labels.challenge]: challenge = "", [labels.container]: container = "" } = pod.metadata.labels ?? {};
      return behaviours.get(behaviourKey(challenge, container)) ?? simulator.behaviour?.(pod);
    },
  });
}

interface WorldParts {
  controlPlane: WorldControlPlane;
  client: Client;
  simulator: Simulator | undefined;
  gateway: TestGateway;
  followed: Followed;
  behaviours: Map<string, BehaviourChoice>;
  env: Record<string, string>;
  foreignCrds: InstallOptions;
  /** How each part ends, in the order in which they were started. */
  parts: (() => Promise<unknown>)[];
}

export class World implements AsyncDisposable {
  /** Of the controller, of Challenges and of instances. */
  static readonly namespace = "berg";
  readonly namespace = World.namespace;
  /** Goes to the server directly: for what the test does, and not the controller. */
  readonly client: Client;
  readonly controlPlane: WorldControlPlane;
  /** Accepts every route unless a test has it answer otherwise. */
  readonly gateway: TestGateway;
  readonly #simulator: Simulator | undefined;
  readonly #followed: Followed;
  readonly #behaviours: Map<string, BehaviourChoice>;
  readonly #env: Record<string, string>;
  readonly #foreignCrds: InstallOptions;
  readonly #parts: (() => Promise<unknown>)[];
  /** All that were ever started, and those that still run. */
  readonly #started: RunningPart[] = [];
  readonly #running = new Set<RunningPart>();
  /** Those of them that need the lease. */
  readonly #withLease = new Set<RunningPart>();
  #hasPolicies = true;

  constructor({ controlPlane, client, simulator, gateway, followed, behaviours, env, foreignCrds, parts }: WorldParts) {
    this.controlPlane = controlPlane;
    this.client = client;
    this.#simulator = simulator;
    this.gateway = gateway;
    this.#followed = followed;
    this.#behaviours = behaviours;
    this.#env = env;
    this.#foreignCrds = foreignCrds;
    this.#parts = parts;
  }

  /** In this process, without a lease: fast to start and to kill. Two may run at a time where each has its own `only`. */
  startController(options: ControllerOptions = {}): Promise<RunningController> {
    return this.#start(startInProcess, options);
  }

  /** A controller that needs the lease, which is free unless another one that needs it runs: see controller-process.ts. */
  async startControllerWithLease(start: StartController, options: ControllerOptions): Promise<RunningController> {
    if (this.#withLease.size === 0) await this.#freeLease();
    const controller = await this.#start(start, options);
    const ending = (end: () => Promise<void>) => () => {
      this.#withLease.delete(controller);
      return end();
    };
    this.#withLease.add(controller);
    return { ...controller, stop: ending(controller.stop), kill: ending(controller.kill) };
  }

  /** Held by nobody, and free at once: as if whoever was killed had been silent for long enough. */
  async #freeLease(): Promise<void> {
    const name = "berg-controller";
    await this.client.delete(Leases, this.namespace, name).catch((error) => {
      if (!isNotFound(error)) throw error;
    });
    await this.client.create(Leases, { metadata: { namespace: this.namespace, name } });
  }

  async #start(start: StartController, options: ControllerOptions): Promise<RunningController> {
    const env = { ...this.#env, ...options.env };
    if (env.NETWORK_POLICY === "none") this.#hasPolicies = false;
    return this.#know(await start(this.controlPlane.connection, this.namespace, { ...options, env }));
  }

  /** The deployment listener, in this process, without a lease. */
  async startListener(options: ListenerOptions = {}): Promise<RunningListener> {
    return this.#know(await startListenerInProcess(this.controlPlane.connection, options));
  }

  #know<P extends RunningPart>(part: P): P {
    const ending = (end: () => Promise<void>) => () => {
      this.#running.delete(part);
      return end();
    };
    this.#started.push(part);
    this.#running.add(part);
    return { ...part, stop: ending(part.stop), kill: ending(part.kill) };
  }

  /** Kinds of others that come later than at the start. */
  installForeignCrds(options: Pick<InstallOptions, "which" | "tlsRouteVersion"> = {}): Promise<void> {
    const { standIns = false } = this.#foreignCrds;
    return installForeignCrds(this.client, { ...options, standIns });
  }

  get simulator(): Simulator {
    if (!this.#simulator) throw new Error("this world has real nodes: nothing is simulated");
    return this.#simulator;
  }

  challenge(name = `challenge-${randomUUID().slice(0, 8)}`): ChallengeBuilder {
    return new ChallengeBuilder(this.#place, name);
  }

  instance(challenge: { metadata: { namespace?: string; name: string } }): InstanceBuilder {
    return new InstanceBuilder(this.#place, challenge);
  }

  /** Every version of every object so far, and the copies as they are now. */
  get followed(): Followed {
    return this.#followed;
  }

  get #place() {
    return { client: this.client, namespace: this.namespace, behaviours: this.#behaviours };
  }

  /** Waits until it holds of the instance, and fails with all that is known about it. */
  until(
    instance: Named,
    holds: (instance: Stored<ChallengeInstance>) => unknown,
    { within = defaultWaitMs } = {},
  ): Promise<Stored<ChallengeInstance>> {
    return this.#wait(instance, within, `it did not happen that ${holds}`, (object, isGone) => {
      if (isGone) throw new Error(`it was gone before it happened that ${holds}`);
      return holds(object);
    });
  }

  /** Waits until the instance itself is gone, and returns what was last known of it. */
  untilGone(instance: Named, { within = defaultWaitMs } = {}): Promise<Stored<ChallengeInstance>> {
    return this.#wait(instance, within, "it did not go", (_, isGone) => isGone);
  }

  #wait(
    { metadata: { uid, name } }: Named,
    within: number,
    otherwise: string,
    isDone: (instance: Stored<ChallengeInstance>, isGone: boolean) => unknown,
  ): Promise<Stored<ChallengeInstance>> {
    return new Promise((resolve, reject) => {
      let forget = () => {};
      let isOver = false;
      const end = (settle: () => void) => {
        isOver = true;
        clearTimeout(timer);
        forget();
        settle();
      };
      const fail = (why: string) =>
        end(() => reject(new Error(`instance ${name}: ${why}\n${reportOn(uid, this.#followed)}`)));
      const timer = setTimeout(() => fail(`in ${within} ms ${otherwise}`), within);
      const look = (object: Stored<ChallengeInstance>, isGone: boolean) => {
        if (isOver || object.metadata.uid !== uid) return;
        try {
          if (isDone(object, isGone)) end(() => resolve(object));
        } catch (error) {
          fail((error as Error).message);
        }
      };
      const gone = this.#followed.changes.find(
        (change) => change.type === "deleted" && change.object.metadata.uid === uid,
      );
      if (gone && isInstance(gone)) return look(gone.object, true);
      forget = this.#followed
        .informer("challengeinstances")
        .onChange(({ type, object }) => look(object as Stored<ChallengeInstance>, type === "deleted"));
      if (isOver) forget();
    });
  }

  /** All that parts of Berg have asked the server to change, oldest first, in all their lives. */
  writes(): Seen[] {
    return this.#started.flatMap((part) => part.writes()).toSorted((a, b) => a.at - b.at);
  }

  /** Throws where an invariant was broken, ever since the world began. */
  async check(): Promise<void> {
    await this.#followed.caughtUp();
    const found = violations({
      changes: this.#followed.changes,
      requests: this.writes(),
      output: this.#started.flatMap(({ output }) => output),
      now: performance.now(),
      hasPolicies: this.#hasPolicies,
    });
    const [first] = found;
    if (first)
      throw new Error(`${first.invariant}: ${first.text}${found.length > 1 ? ` (and ${found.length - 1} more)` : ""}`);
  }

  /** The last of a suite, whatever was broken in it. */
  async end(): Promise<void> {
    try {
      await this.check();
    } finally {
      await this.stop();
    }
  }

  async stop(): Promise<void> {
    await Promise.allSettled([...this.#running].map((part) => part.kill()));
    await stopAll(this.#parts);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

async function stopAll(parts: (() => Promise<unknown>)[]): Promise<void> {
  for (const stop of parts.toReversed()) await stop();
}
