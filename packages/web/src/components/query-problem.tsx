import type { UseQueryResult } from "@tanstack/react-query";
import { ApiProblem } from "../api/client.ts";
import { texts } from "../texts.ts";
import { BlankState } from "./blank-state.tsx";
import { Button } from "./button.tsx";
import { describeProblem } from "./problem-notice.tsx";

type Query = Pick<UseQueryResult, "data" | "error" | "failureReason" | "refetch">;

/** Why there is nothing to show; undefined while it is just loading. Outages are retried, so that the error comes late. */
export function problemOf({ data, error, failureReason }: Omit<Query, "refetch">): Error | undefined {
  return data === undefined ? (error ?? failureReason ?? undefined) : undefined;
}

/** What a page shows in place of its content where that cannot be read. */
export function QueryProblem({ query, isPage = false }: { query: Query; isPage?: boolean }) {
  const problem = problemOf(query);
  if (!problem) return null;
  const { title, detail } = describeProblem(problem);
  const isRetried = problem instanceof ApiProblem && problem.isTemporary;
  return (
    <BlankState title={title} detail={isRetried ? texts.problems.continues : detail} isPage={isPage}>
      <Button look="primary" onClick={() => void query.refetch()}>
        {texts.problems.tryAgain}
      </Button>
    </BlankState>
  );
}
