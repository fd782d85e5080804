/** metadata.generation counts the changes of what is wanted: of everything but metadata and, where it is apart, status. */
import { jsonEqual } from "@berg/apimachinery";
import type { AnyObject, AnyStoredObject, ServedResource } from "./resource.ts";

/** A kind that counts in a way of its own has done so in `prepare`. A status that is apart has been put back by now. */
export function countChange(draft: AnyObject, old: AnyStoredObject, { strategy }: ServedResource): void {
  const before = old.metadata.generation;
  if (!strategy.hasGeneration || strategy.isGenerationFixed || draft.metadata.generation !== before) return;
  if (wantsOther(draft, old)) draft.metadata.generation = (before ?? 0) + 1;
}

function wantsOther(draft: AnyObject, old: AnyObject): boolean {
  const fields = new Set([...Object.keys(draft), ...Object.keys(old)]);
  for (const apart of ["apiVersion", "kind", "metadata"]) fields.delete(apart);
  return [...fields].some((field) => !jsonEqual(draft[field], old[field]));
}
