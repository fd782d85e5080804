import { useCallback } from "react";
import { useSearchParams } from "wouter";
import type { ChallengeFilter } from "../../logic/challenge-list.ts";

const parameters = { search: "q", category: "category", difficulty: "difficulty" } as const;

/** The filter lives in the address: it survives a reload and the way back from a challenge, and can be shared. */
export function useChallengeFilter() {
  const [params, setParams] = useSearchParams();
  const filter: ChallengeFilter = {
    search: params.get(parameters.search) ?? "",
    category: params.get(parameters.category) ?? "",
    difficulty: params.get(parameters.difficulty) ?? "",
  };

  const change = useCallback(
    (field: keyof ChallengeFilter, value: string) => {
      const next = (current: URLSearchParams) => {
        const changed = new URLSearchParams(current);
        if (value === "") changed.delete(parameters[field]);
        else changed.set(parameters[field], value);
        return changed;
      };
      // Each letter of a search must not become a step on the way back.
      setParams(next, { replace: true });
    },
    [setParams],
  );

  const clear = useCallback(() => setParams(new URLSearchParams(), { replace: true }), [setParams]);
  return { filter, change, clear };
}
