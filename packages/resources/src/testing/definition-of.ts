import { type Definition, definitions } from "../definitions.ts";

/** `definitionOf("Challenge")` */
export function definitionOf(kind: string): Definition {
  const found = definitions.find(({ resource }) => resource.kind === kind);
  if (!found) throw new Error(`we have no kind ${kind}`);
  return found;
}
