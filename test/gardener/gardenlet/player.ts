/** The play itself: begins what is due for a Shoot, and shows one scene after the other. */
import type { Stored } from "@berg/apimachinery";
import { type Clock, type Result, timestamp } from "@berg/kube";
import type { TestShoot } from "../kinds.ts";
import { type Course, type Scene, succeeding } from "./course.ts";
import type { GardenShoots } from "./garden-shoots.ts";
import type { PlantedGarden } from "./gardenlet.ts";
import { type Due, operationAnnotation, operationDue } from "./operation.ts";
import { finishRotation, rotateTarget, startRotation } from "./rotation.ts";
import { addressStatus, identityStatus, sceneStatus, successStatus } from "./status.ts";
import type { Tenancies } from "./tenancies.ts";
import type { Told } from "./told.ts";

export interface Stage {
  garden: PlantedGarden;
  shoots: GardenShoots;
  clock: Clock;
  beatMs: number;
  tenancies: Tenancies;
  told: Told;
}

/** What is being played for one Shoot. */
interface Play {
  due: Due;
  course: Course;
  scene: number;
  since: number;
}

const finalizer = "gardener";

export class Player {
  readonly #stage: Stage;
  readonly #plays = new Map<string, Play>();

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  async playOn(name: string): Promise<Result | undefined> {
    const { garden, shoots, tenancies } = this.#stage;
    const shoot = await shoots.read(name);
    if (!shoot) {
      this.#plays.delete(name);
      tenancies.end(name);
      await garden.publishCa?.(name, undefined);
      return undefined;
    }
    const due = operationDue(shoot);
    if (due) await this.#begin(shoot, due);
    const play = this.#plays.get(name);
    return play && this.#showNext(shoot, play);
  }

  async #begin(shoot: Stored<TestShoot>, due: Due): Promise<void> {
    const { garden, shoots, clock, told } = this.#stage;
    const { name, generation = 0, finalizers = [], deletionTimestamp, resourceVersion } = shoot.metadata;
    const { type, rotation, consumes } = due;
    const course = told.scriptOf(name)[type] ?? succeeding(type);
    const isHeld = finalizers.includes(finalizer) || deletionTimestamp !== undefined;
    if (consumes || !isHeld) {
      await shoots.patch(name, {
        resourceVersion,
        ...(consumes && { annotations: { [operationAnnotation]: null } }),
        ...(!isHeld && { finalizers: [...finalizers, finalizer] }),
      });
    }
    const now = timestamp(clock);
    await shoots.writeStatus(name, (old) => ({
      observedGeneration: generation,
      ...sceneStatus(type, course[0] as Scene, now),
      ...identityStatus(garden.project, old),
      ...(rotation && { credentials: { rotation: startRotation(old, rotation, now) } }),
    }));
    this.#plays.set(name, { due, course, scene: 0, since: clock.now() });
  }

  async #showNext(shoot: Stored<TestShoot>, play: Play): Promise<Result | undefined> {
    const { shoots, clock, beatMs } = this.#stage;
    const { beats } = play.course[play.scene] as Scene;
    const next = play.course[play.scene + 1];
    if (beats === undefined || !next) return undefined;
    const left = play.since + beats * beatMs - clock.now();
    if (left > 0) return { requeueAfterMs: left };
    if (next.state === "Succeeded") await this.#finish(shoot, play.due, next);
    else await shoots.writeStatus(shoot.metadata.name, () => sceneStatus(play.due.type, next, timestamp(clock)));
    Object.assign(play, { scene: play.scene + 1, since: clock.now() });
    return next.beats === undefined ? undefined : { requeueAfterMs: next.beats * beatMs };
  }

  async #finish(shoot: Stored<TestShoot>, { type, rotation }: Due, scene: Scene): Promise<void> {
    const { garden, shoots, clock, tenancies, told } = this.#stage;
    const { name, finalizers = [] } = shoot.metadata;
    if (type === "Delete") {
      await shoots.writeStatus(name, () => sceneStatus(type, scene, timestamp(clock)));
      return shoots.patch(name, { finalizers: finalizers.filter((one) => one !== finalizer) });
    }
    const target = tenancies.begin(name);
    await tenancies.sleep(name, shoot.spec.hibernation?.enabled === true);
    if (target && rotation) await rotateTarget(target, rotation);
    await garden.publishCa?.(name, target);
    const now = timestamp(clock);
    await shoots.writeStatus(name, (old) => ({
      ...sceneStatus(type, scene, now),
      ...successStatus(garden.project, old),
      ...addressStatus(tenancies.urlOf(name)),
      ...told.health(old, now),
      ...(rotation && { credentials: { rotation: finishRotation(old, rotation, now) } }),
    }));
  }
}
