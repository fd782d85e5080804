/** How queries are kept, repeated and refreshed. */
import { MutationCache, QueryClient } from "@tanstack/react-query";
import { type Clock, systemClock } from "../clock.ts";
import { ApiProblem } from "./client.ts";
import { keys } from "./queries.ts";

const longestDelayMs = 15_000;

export function makeQueryClient(clock: Clock = systemClock): QueryClient {
  const queries = new QueryClient({
    // An action is not repeated by itself, so that nothing would notice the end of the outage that it ran into: a query is.
    mutationCache: new MutationCache({
      onError: (error) => {
        if (isTemporary(error)) void queries.invalidateQueries({ queryKey: keys.metadata });
      },
    }),
    defaultOptions: {
      queries: {
        // Changes arrive over the live connection; this only covers what was missed while the tab was in the background.
        staleTime: 30_000,
        // The browser's own idea of being offline is wrong for a server on the same machine.
        networkMode: "always",
        retry: (failures, error) => isTemporary(error) || (isServerError(error) && failures < 2),
        retryDelay: (failures, error) => retryDelay(failures, error, clock.random()),
      },
      mutations: { networkMode: "always" },
    },
  });
  return queries;
}

/** Spread by chance, so that a server that comes back is not met by everybody in the same second. */
export function retryDelay(failures: number, error: unknown, chance: number): number {
  const asked = error instanceof ApiProblem ? error.retryAfter : undefined;
  const delay = asked === undefined ? 1000 * 2 ** failures : asked * 1000;
  return Math.min(delay, longestDelayMs) * (0.75 + chance / 2);
}

function isTemporary(error: unknown): boolean {
  return error instanceof ApiProblem && error.isTemporary;
}

function isServerError(error: unknown): boolean {
  return !(error instanceof ApiProblem) || error.status >= 500;
}
