/** Whether an object may be: its metadata, then what its kind says. */
import { type FieldError, invalid as invalidField } from "../errors/field-error.ts";
import { invalid } from "../errors/refusals.ts";
import { subdomainProblems } from "../schema/metadata/names.ts";
import { validateObjectMeta } from "../schema/metadata/validate-object-meta.ts";
import { isCustom } from "./registry.ts";
import type { AnyObject, AnyStoredObject, ServedResource } from "./resource.ts";
import type { Caller } from "./verbs.ts";

/** Groups whose kinds are not held to finalizers that have a domain, as custom kinds are not. */
const anyFinalizer = ["apiextensions.k8s.io", "coordination.k8s.io", "policy"];

/** `subresource` is "" or the one that is written; `old` is undefined where it is created. */
export function validate(
  resource: ServedResource,
  draft: AnyObject,
  old: AnyStoredObject | undefined,
  subresource: string,
  caller: Caller,
): void {
  const { group, kind, strategy, namespaced } = resource;
  const errors: FieldError[] = [
    ...kindErrors(resource, draft),
    ...validateObjectMeta(draft.metadata, {
      namespaced,
      nameProblems: strategy.nameProblems ?? subdomainProblems,
      old: old?.metadata,
      isBuiltIn: !isCustom(resource) && !anyFinalizer.includes(group),
    }),
    ...(strategy.validate?.(draft, old, subresource) ?? []),
  ];
  // An object of a custom kind that claims to be another is named as what it claims to be.
  if (errors.length > 0) throw invalid({ group, kind: draft.kind || kind, name: draft.metadata.name ?? "" }, errors);
  if (subresource !== "") return;
  for (const text of strategy.warnings?.(draft, old) ?? []) caller.warn(text);
}

/** Custom kinds alone come here under a wrong name: that of a built-in one is refused when it is decoded. */
function kindErrors({ kind }: ServedResource, draft: AnyObject): FieldError[] {
  return draft.kind === kind ? [] : [invalidField("kind", draft.kind, `must be ${kind}`)];
}
