/** The phases that a rotation of keys goes through, and what each does to the cluster. */
import type { RotationState, TestShoot } from "../kinds.ts";
import type { GardenTarget } from "../target.ts";
import type { Due, Rotation } from "./operation.ts";

type Rotations = Partial<Record<Rotation, RotationState>>;
type Asked = NonNullable<Due["rotation"]>;

/** While the operation runs. */
export function startRotation(shoot: TestShoot, { of, step }: Asked, now: string): Rotations {
  return changed(shoot, of, (old) =>
    step === "start" ? { phase: "Preparing", lastInitiationTime: now } : { ...old, phase: "Completing" },
  );
}

/** When it has succeeded. */
export function finishRotation(shoot: TestShoot, { of, step }: Asked, now: string): Rotations {
  return changed(shoot, of, (old) =>
    step === "start" ? { ...old, phase: "Prepared" } : { ...old, phase: "Completed", lastCompletionTime: now },
  );
}

export async function rotateTarget(target: GardenTarget, { of, step }: Asked): Promise<void> {
  const steps = {
    certificateAuthorities: { start: () => target.prepareCa(), complete: () => target.completeCa() },
    serviceAccountKey: {
      start: () => target.prepareServiceAccountKey(),
      complete: () => target.completeServiceAccountKey(),
    },
  };
  for (const one of of) await steps[one][step]();
}

function changed(shoot: TestShoot, of: Rotation[], next: (old: RotationState | undefined) => RotationState): Rotations {
  const before: Rotations = shoot.status?.credentials?.rotation ?? {};
  return { ...before, ...Object.fromEntries(of.map((one) => [one, next(before[one])])) };
}
