import { useMetadata } from "../api/queries.ts";
import { useServerNow } from "../api/server-time.ts";
import { type CompetitionPeriod, competitionPeriod } from "../logic/competition.ts";

/** By the server's clock; undefined until that is known. */
export function useCompetitionPeriod(): CompetitionPeriod | undefined {
  const { data: metadata } = useMetadata();
  const now = useServerNow();
  return metadata ? competitionPeriod(metadata, now) : undefined;
}
