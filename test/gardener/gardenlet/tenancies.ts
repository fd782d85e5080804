/**
 * Which Shoot is which cluster. Shoots take clusters that nobody has had first, then those of the fewest; with fewer
 * clusters than Shoots they share, which is enough for whoever never looks inside.
 */
import type { GardenTarget } from "../target.ts";

export class Tenancies {
  readonly #targets: readonly GardenTarget[];
  readonly #project: string;
  readonly #byShoot = new Map<string, GardenTarget>();
  readonly #had = new Map<GardenTarget, number>();
  readonly #asleep = new Set<GardenTarget>();

  constructor(targets: readonly GardenTarget[], project: string) {
    this.#targets = targets;
    this.#project = project;
  }

  /** A garden without clusters has addresses all the same; nobody answers there. */
  urlOf(shoot: string): string {
    return this.of(shoot)?.server ?? `https://api.${shoot}.${this.#project}.garden.test`;
  }

  of(shoot: string): GardenTarget | undefined {
    return this.#byShoot.get(shoot);
  }

  begin(shoot: string): GardenTarget | undefined {
    const existing = this.#byShoot.get(shoot);
    if (existing) return existing;
    const [target] = [...this.#targets].sort((a, b) => this.#count(a) - this.#count(b));
    if (!target) return undefined;
    this.#had.set(target, this.#count(target) + 1);
    this.#byShoot.set(shoot, target);
    return target;
  }

  end(shoot: string): void {
    this.#byShoot.delete(shoot);
  }

  /** A cluster that sleeps has no API server. One that is shared stays awake for the others. */
  async sleep(shoot: string, asleep: boolean): Promise<void> {
    const target = this.#byShoot.get(shoot);
    if (!target || this.#asleep.has(target) === asleep || this.#isShared(target)) return;
    if (asleep) {
      await target.controlPlane.apiServer.stop();
      this.#asleep.add(target);
    } else {
      await target.controlPlane.apiServer.start();
      this.#asleep.delete(target);
    }
  }

  #count(target: GardenTarget): number {
    return this.#had.get(target) ?? 0;
  }

  #isShared(target: GardenTarget): boolean {
    return [...this.#byShoot.values()].filter((other) => other === target).length > 1;
  }
}
