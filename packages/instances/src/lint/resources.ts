import { parseQuantity, quoted } from "@berg/apimachinery";
import type { ChallengeContainer, ChallengeResources, FieldPath } from "@berg/resources";
import { readAmount } from "../settings/amounts.ts";
import { error, type Problem, warning } from "./problem.ts";

const amounts = ["cpu", "memory", "ephemeral-storage"] as const;
type AmountName = (typeof amounts)[number];

/** More than any node has of anything, and as much as can be added up without surprises. */
const most = parseQuantity("1P");
/** Less than any container can start with. */
const leastBytes = parseQuantity("1Mi");
const manyCores = parseQuantity("128");

export function resourceProblems(container: ChallengeContainer, at: FieldPath): Problem[] {
  return amounts.flatMap((name) => [
    ...amountProblems(container, "resourceRequests", name, at),
    ...amountProblems(container, "resourceLimits", name, at),
    ...pairProblems(container, name, at),
  ]);
}

function amountProblems(
  container: ChallengeContainer,
  field: "resourceRequests" | "resourceLimits",
  name: AmountName,
  at: FieldPath,
): Problem[] {
  const written = container[field]?.[name];
  if (written === undefined) return [];
  const path = [...at, field, name];
  const amount = readAmount(written);
  const text = quoted(String(written));
  if (amount === undefined) return [error(path, `${text} is not an amount`, "write one such as 250m, 2 or 64Mi")];
  if (amount.compare(most) > 0) return [error(path, `${text} is more than any node has`, "write less")];
  if (name === "cpu" && amount.compare(manyCores) > 0)
    return [warning(path, `${text} is a number of whole cores`, `write ${written}m for thousandths of one`)];
  if (field === "resourceRequests") return [];
  if (amount.nanos === 0n) return [error(path, "0 is no limit at all on a node", "write more, or leave it out")];
  if (name !== "cpu" && amount.compare(leastBytes) < 0)
    return [error(path, `${text} is a number of bytes that no container can start with`, "add a unit, such as 64Mi")];
  return [];
}

/** Of what the author leaves out, the controller chooses what fits. */
function pairProblems({ resourceRequests, resourceLimits }: ChallengeContainer, name: AmountName, at: FieldPath) {
  const request = read(resourceRequests, name);
  const limit = read(resourceLimits, name);
  if (request === undefined || limit === undefined || request.compare(limit) <= 0) return [];
  const message = `${request} is more than the limit, ${limit}`;
  return [error([...at, "resourceRequests", name], message, "lower the one or raise the other")];
}

function read(resources: ChallengeResources | undefined, name: AmountName) {
  const written = resources?.[name];
  return written === undefined ? undefined : readAmount(written);
}
