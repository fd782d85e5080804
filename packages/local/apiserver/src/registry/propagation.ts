/** What becomes of an object's dependents, as finalizers that the garbage collector reads. */
import type { AnyObject, ServedResource } from "./resource.ts";
import type { DeleteOptions } from "./verbs.ts";

const orphanFinalizer = "orphan";
const foregroundFinalizer = "foregroundDeletion";

type Policy = NonNullable<DeleteOptions["propagationPolicy"]>;

/** The finalizers that a deletion leaves on the object; the very same list where it changes nothing. */
export function finalizersOfDeletion(
  { metadata }: AnyObject,
  { strategy }: ServedResource,
  wanted: Policy | undefined,
): readonly string[] {
  const before = metadata.finalizers ?? [];
  const policy = wanted ?? policyOf(before) ?? strategy.defaultPropagation;
  const others = before.filter((finalizer) => finalizer !== orphanFinalizer && finalizer !== foregroundFinalizer);
  if (policy === "Orphan") others.push(orphanFinalizer);
  if (policy === "Foreground") others.push(foregroundFinalizer);
  const isSame = others.length === new Set(before).size && others.every((finalizer) => before.includes(finalizer));
  return isSame ? before : others;
}

/** What the object itself asks for. */
function policyOf(finalizers: readonly string[]): Policy | undefined {
  const first = finalizers.find((finalizer) => finalizer === orphanFinalizer || finalizer === foregroundFinalizer);
  if (first === undefined) return undefined;
  return first === orphanFinalizer ? "Orphan" : "Foreground";
}
