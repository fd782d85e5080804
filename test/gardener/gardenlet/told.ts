/** What a test has told the gardenlet to do. */
import type { TestShoot, TestShootStatus } from "../kinds.ts";
import type { Script } from "./course.ts";
import { type ConditionStatus, type ConditionType, conditionsOf } from "./health.ts";

export class Told {
  usual: Script = {};
  readonly scripts = new Map<string, Script>();
  readonly #conditions = new Map<string, Partial<Record<ConditionType, ConditionStatus>>>();

  scriptOf(shoot: string): Script {
    return this.scripts.get(shoot) ?? this.usual;
  }

  condition(shoot: string, type: ConditionType, status: ConditionStatus): void {
    this.#conditions.set(shoot, { ...this.#conditions.get(shoot), [type]: status });
  }

  health(shoot: TestShoot, now: string): TestShootStatus {
    return { conditions: conditionsOf(shoot, this.#conditions.get(shoot.metadata.name ?? "") ?? {}, now) };
  }
}
