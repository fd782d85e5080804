/**
 * A controller of a scenario's own, beside the others' in the same world: it sees the instances of one namespace and no
 * others, so it can be spoilt, stopped and killed while other scenarios go on.
 */
import { randomUUID } from "node:crypto";
import type { Stored } from "@berg/apimachinery";
import { Namespaces } from "@berg/kube";
import type { Challenge } from "@berg/resources";
import type { ControllerOptions, RunningController } from "./controllers.ts";
import type { InstanceBuilder } from "./objects.ts";
import type { World } from "./world.ts";

/** One flag for all: each more is one more text to look for in everything that anybody has ever written. */
export const canary = "flag{canary-of-all-scenarios}";

export class Cell {
  readonly world: World;
  readonly namespace: string;
  /** Of those that it has had, the newest. */
  controller: RunningController;
  readonly #options: ControllerOptions;

  private constructor(world: World, namespace: string, controller: RunningController, options: ControllerOptions) {
    this.world = world;
    this.namespace = namespace;
    this.controller = controller;
    this.#options = options;
  }

  static async start(world: World, options: Omit<ControllerOptions, "only"> = {}): Promise<Cell> {
    const namespace = `berg-${randomUUID().slice(0, 8)}`;
    await world.client.create(Namespaces, { metadata: { name: namespace } });
    const confined = { ...options, only: namespace };
    return new Cell(world, namespace, await world.startController(confined), confined);
  }

  instance(challenge: Stored<Challenge>): InstanceBuilder {
    return this.world.instance(challenge).metadata({ namespace: this.namespace }).flag(canary);
  }

  /** Another controller in place of the one that was killed. */
  async restart(): Promise<void> {
    this.controller = await this.world.startController(this.#options);
  }
}
