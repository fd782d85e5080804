/** Conditions in a status, as metav1.Condition has them. */
import { z } from "zod";
import { listMap, text, time } from "./fields.ts";

/** A status write over one of these is refused as a whole: cut what may be longer. */
export const conditionLimits = { message: 4096, conditions: 32 } as const;

/** Why, in one word for programs. */
export const reason = () =>
  text({
    max: 256,
    pattern: /^([A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?)?$/,
    must: "must be one word in CamelCase, such as OwnerBusy",
  });

interface About {
  /** What they are about, such as `instance`. */
  what: string;
  /** Two types of them. */
  such: string;
}

const fields = ({ what, such }: About) => ({
  type: text({ min: 1, max: 316 }).describe(`What it is about, such as ${such}.`),
  status: z.enum(["True", "False", "Unknown"]).describe("Whether it is so."),
  observedGeneration: z.int().min(0).describe(`metadata.generation of the ${what} that was looked at.`).exactOptional(),
  lastTransitionTime: time().describe("When the status last changed.").exactOptional(),
  reason: reason().describe("Why, in one word for programs.").exactOptional(),
  message: text({ max: conditionLimits.message }).describe("Why, in plain words.").exactOptional(),
});

export function conditions(about: About) {
  const condition = z.strictObject(fields(about)).describe(`One finding about the ${about.what}.`);
  return listMap(condition, ["type"], conditionLimits.conditions);
}

/** With the time of the last change of any of it beside that of the last change of the status. */
export function datedConditions(about: About) {
  const lastUpdateTime = time().describe("When the status, the reason or the message last changed.").exactOptional();
  const condition = z
    .strictObject({ ...fields(about), lastUpdateTime })
    .describe(`One finding about the ${about.what}.`);
  return listMap(condition, ["type"], conditionLimits.conditions);
}
