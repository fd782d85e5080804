/** The part of the rules of a competition that accounts follow. */
import type { CompetitionSpec } from "@berg/resources";

export type AccountRules = Pick<
  CompetitionSpec,
  "title" | "organiser" | "logoUrl" | "registration" | "visibility" | "playerAttributes"
>;
export type Registration = AccountRules["registration"];
export type PlayerAttribute = AccountRules["playerAttributes"][number];
