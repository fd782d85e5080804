/** The refusal of an apply that would change what others own. */
import type { StatusCause, StatusError } from "@berg/apimachinery";
import { refusal } from "../errors/refusals.ts";
import type { FieldSet } from "./field-set.ts";
import type { Manager, Managers } from "./managers.ts";
import { showPath } from "./path-element.ts";
import { compareText } from "./values.ts";

/** `conflicts`: by the id of the manager who owns them. */
export function applyConflict(managers: Managers, conflicts: ReadonlyMap<string, FieldSet>): StatusError {
  const causes: StatusCause[] = [];
  const lines: string[] = [];
  for (const id of [...conflicts.keys()].sort(compareText)) {
    const owner = showManager(managers.get(id));
    lines.push(`conflicts with ${owner}:`);
    for (const path of conflicts.get(id)?.paths() ?? []) {
      const field = showPath(path);
      lines.push(`- ${field}`);
      causes.push({ reason: "FieldManagerConflict", message: `conflict with ${owner}`, field });
    }
  }
  const [only] = causes;
  const message =
    causes.length === 1 && only
      ? `Apply failed with 1 conflict: ${only.message}: ${only.field}`
      : `Apply failed with ${causes.length} conflicts: ${lines.join("\n")}`;
  return refusal(409, "Conflict", message, { causes });
}

/** `"kubectl-client-side-apply" using apps/v1`, `"kubelet" with subresource "status" using v1`, `"helm"`. */
function showManager(owner: Manager | undefined): string {
  if (!owner) return '""';
  const name = JSON.stringify(owner.manager);
  const named = owner.subresource ? `${name} with subresource ${JSON.stringify(owner.subresource)}` : name;
  return owner.operation === "Update" ? `${named} using ${owner.apiVersion}` : named;
}
