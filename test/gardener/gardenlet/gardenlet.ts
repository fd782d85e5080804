/**
 * Plays gardenlet: writes into the status of Shoots what the real one would while it makes, changes and removes
 * clusters, and does to the clusters of the garden what can be done to them. Scripts say what goes wrong.
 *
 *     await using gardenlet = await startGardenlet(garden);
 *     gardenlet.script("c-1", { Create: failing("Create", ["ERR_INFRA_UNAUTHORIZED"]) });
 */
import { splitKey } from "@berg/apimachinery";
import { type Clock, Controller, Informer, systemClock, timestamp, watchSelf } from "@berg/kube";
import type { TestGarden } from "../garden.ts";
import { Shoots, type TestShootStatus } from "../kinds.ts";
import type { GardenTarget } from "../target.ts";
import { type Scene, type Script, succeeding } from "./course.ts";
import { GardenShoots } from "./garden-shoots.ts";
import type { ConditionStatus, ConditionType } from "./health.ts";
import { Player } from "./player.ts";
import { addressStatus, sceneStatus } from "./status.ts";
import { Tenancies } from "./tenancies.ts";
import { Told } from "./told.ts";

/** Any API server with the CRDs of a garden will do, also an embedded one; without clusters, nobody's CA is published. */
export type PlantedGarden = Pick<TestGarden, "client" | "namespace" | "project" | "targets"> &
  Partial<Pick<TestGarden, "publishCa">>;

export interface GardenletOptions {
  /** How long a beat of a script is. 20 ms unless told. */
  beatMs?: number;
  clock?: Clock;
}

export async function startGardenlet(garden: PlantedGarden, options: GardenletOptions = {}): Promise<Gardenlet> {
  const gardenlet = new Gardenlet(garden, options.clock ?? systemClock, options.beatMs ?? 20);
  await gardenlet.start();
  return gardenlet;
}

export class Gardenlet implements AsyncDisposable {
  readonly #garden: PlantedGarden;
  readonly #shoots: GardenShoots;
  readonly #clock: Clock;
  readonly #tenancies: Tenancies;
  readonly #told = new Told();
  readonly #player: Player;
  readonly #stop = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  constructor(garden: PlantedGarden, clock: Clock, beatMs: number) {
    this.#garden = garden;
    this.#shoots = new GardenShoots(garden);
    this.#clock = clock;
    this.#tenancies = new Tenancies(garden.targets, garden.project);
    const [shoots, tenancies, told] = [this.#shoots, this.#tenancies, this.#told];
    this.#player = new Player({ garden, shoots, clock, beatMs, tenancies, told });
  }

  async start(): Promise<void> {
    const { signal } = this.#stop;
    const { client, namespace } = this.#garden;
    const shoots = new Informer({ client, type: Shoots, selection: { namespace } });
    const reconcile = (key: string) => this.#player.playOn(splitKey(key).name);
    const options = { name: "gardenlet", watches: [watchSelf(shoots)], reconcile };
    const controller = new Controller(options, { clock: this.#clock });
    this.#running = Promise.allSettled([shoots.run(signal), controller.run(signal, signal)]);
    await shoots.synced(signal);
  }

  /** How the operations on this Shoot go, from its next one on. Told before there is one, it holds for its creation. */
  script(shoot: string, script: Script): void {
    this.#told.scripts.set(shoot, script);
  }

  /** How they go for every Shoot without a script of its own. */
  scriptAll(script: Script): void {
    this.#told.usual = script;
  }

  /** What care finds out about a Shoot, from now on. Told now this and now that, it flaps. */
  async condition(shoot: string, type: ConditionType, status: ConditionStatus): Promise<void> {
    this.#told.condition(shoot, type, status);
    await this.#shoots.writeStatus(shoot, (old) => this.#told.health(old, timestamp(this.#clock)));
  }

  /** Which cluster a Shoot has become. */
  targetOf(shoot: string): GardenTarget | undefined {
    return this.#tenancies.of(shoot);
  }

  /** Its address changes, as when its control plane is moved to another seed. */
  async migrate(shoot: string): Promise<void> {
    await this.#shoots.writeStatus(shoot, () => this.#ended("Migrate"));
    await this.#tenancies.of(shoot)?.move();
    await this.#shoots.writeStatus(shoot, (old) => ({
      ...this.#ended("Restore"),
      ...addressStatus(this.#tenancies.urlOf(shoot)),
      observedGeneration: old.metadata.generation ?? 0,
    }));
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  #ended(type: "Migrate" | "Restore"): TestShootStatus {
    return sceneStatus(type, succeeding(type).at(-1) as Scene, timestamp(this.#clock));
  }
}
