/** What the organiser asks of each player. */
import type { Metadata } from "@berg/api/wire";

export type PlayerAttribute = Metadata["playerAttributes"][number];

/** Required attributes without a value, or with one that the organiser no longer offers. */
export function missingAttributes(
  asked: readonly PlayerAttribute[],
  given: Readonly<Record<string, string>>,
): PlayerAttribute[] {
  return asked.filter(({ name, required, values }) => required && !values.some(({ value }) => value === given[name]));
}
