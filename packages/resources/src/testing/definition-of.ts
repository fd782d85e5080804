import { clusterDefinitions } from "../cluster-definitions.ts";
import { type Definition, definitions } from "../definitions.ts";

export const allDefinitions: Definition[] = [...definitions, ...clusterDefinitions];

/** `definitionOf("Challenge")` */
export function definitionOf(kind: string): Definition {
  const found = allDefinitions.find(({ resource }) => resource.kind === kind);
  if (!found) throw new Error(`we have no kind ${kind}`);
  return found;
}
