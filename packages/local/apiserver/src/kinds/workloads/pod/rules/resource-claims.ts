/** Devices that a pod claims, and which of its containers use them. */
import { duplicate, type FieldError, invalid, notFound, required } from "../../../../errors/field-error.ts";
import { labelProblems, subdomainProblems } from "../../../../schema/metadata/names.ts";
import { each } from "../../../checks/field-rules.ts";
import type { PodSpec, ResourceRequirements } from "../../types.ts";

type ClaimUse = NonNullable<ResourceRequirements["claims"]>[number];

export function resourceClaims(path: string, { resourceClaims: claims = [] }: PodSpec): FieldError[] {
  return claims.flatMap((claim, index) => {
    const at = `${path}[${index}]`;
    const { name, resourceClaimName: existing, resourceClaimTemplateName: template } = claim;
    const shown = { Name: name, ResourceClaimName: existing ?? null, ResourceClaimTemplateName: template ?? null };
    const isRepeated = claims.findIndex((other) => other.name === name) < index;
    const errors =
      name === ""
        ? [required(`${at}.name`)]
        : isRepeated
          ? [duplicate(`${at}.name`, name)]
          : each(`${at}.name`, name, labelProblems(name));
    if (existing !== undefined && template !== undefined)
      errors.push(
        invalid(at, shown, "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"),
      );
    if (existing === undefined && template === undefined)
      errors.push(invalid(at, shown, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"));
    if (existing !== undefined) errors.push(...each(`${at}.resourceClaimName`, existing, subdomainProblems(existing)));
    if (template !== undefined)
      errors.push(...each(`${at}.resourceClaimTemplateName`, template, subdomainProblems(template)));
    return errors;
  });
}

/** Each must be one of the pod's; the whole of a claim, or parts of it, but nothing twice. */
export function usedClaims(path: string, claims: readonly ClaimUse[], spec: PodSpec): FieldError[] {
  const known = (spec.resourceClaims ?? []).map(({ name }) => name).filter((name) => name !== "");
  return claims.flatMap(({ name, request = "" }, index) => {
    const at = `${path}[${index}]`;
    if (name === "") return [required(at)];
    const before = claims.slice(0, index).filter((other) => other.name === name);
    const errors: FieldError[] = [];
    if (before.some((other) => !other.request)) errors.push(duplicate(at, name));
    else {
      if (request !== "") errors.push(...each(`${at}.request`, request, labelProblems(request)));
      if (request === "") errors.push(...before.map(() => duplicate(at, name)));
      else if (before.some((other) => other.request === request)) errors.push(duplicate(at, `${name}/${request}`));
    }
    return known.includes(name) ? errors : [...errors, unknownClaim(at, name, known)];
  });
}

function unknownClaim(path: string, name: string, known: readonly string[]): FieldError {
  const choices = known.length === 0 ? " which is empty" : `: ${[...new Set(known)].sort().join(", ")}`;
  const error = notFound(path, name);
  return { ...error, message: `${error.message}: must be one of the names in pod.spec.resourceClaims${choices}` };
}
