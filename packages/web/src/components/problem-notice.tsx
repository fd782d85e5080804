import { ApiProblem } from "../api/client.ts";
import { texts } from "../texts.ts";
import { Notice } from "./notice.tsx";

/** What went wrong with an action, in the words of the server where it has some. */
export function ProblemNotice({ error }: { error: Error | null }) {
  if (!error) return null;
  const { title, detail, retryAfter } = describeProblem(error);
  // How long an outage lasts is a guess of the server.
  const isOutage = error instanceof ApiProblem && error.isTemporary;
  return (
    <Notice tone="danger" title={title} isAlert>
      <p>
        {detail}
        {retryAfter !== undefined && !isOutage && ` ${texts.problems.retryIn(retryAfter)}`}
      </p>
    </Notice>
  );
}

export function describeProblem(error: Error): { title: string; detail: string; retryAfter?: number | undefined } {
  return error instanceof ApiProblem ? error : { ...texts.problems.unknown(0), detail: error.message };
}
