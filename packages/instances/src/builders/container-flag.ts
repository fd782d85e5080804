import type { ChallengeContainer } from "@berg/resources";
import { type FlagPlan, flagPlan } from "../flags/flag-plan.ts";
import type { Blueprint } from "./blueprint.ts";

/** How the container gets the flag of its instance; nothing where it does not ask for it. */
export function containerFlag(
  { instance, settings }: Blueprint,
  { dynamicFlag }: ChallengeContainer,
): FlagPlan | undefined {
  return dynamicFlag && flagPlan(dynamicFlag, instance, settings.architecture);
}
