import type { ChallengeContainer, FieldPath } from "@berg/resources";
import { bandwidthProblem } from "../settings/amounts.ts";
import { error, type Problem } from "./problem.ts";

export function bandwidthProblems(container: ChallengeContainer, at: FieldPath): Problem[] {
  return (["egressBandwidth", "ingressBandwidth"] as const).flatMap((field) => {
    const written = container[field];
    const problem = written ? bandwidthProblem(written) : undefined;
    return problem === undefined ? [] : [error([...at, field], problem)];
  });
}
