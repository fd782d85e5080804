/** How kube-apiserver refuses strategic merge patches, in its own words: a server of ours says the same. */
import type { JsonObject } from "./json.ts";
import type { ServersAnswer } from "./patch-error.ts";

export function badFormat(what: "retainKeys" | "setElementOrder list" | "primitive list"): ServersAnswer {
  return { code: 400, text: () => `invalid patch format of ${what}` };
}

export function notAList(value: unknown): ServersAnswer {
  const types: Record<string, string> = { string: "string", boolean: "bool", number: "int64" };
  const type = value === null ? "%!s(<nil>)" : (types[typeof value] ?? "map[string]interface {}");
  return { code: 500, text: () => `expected a []interface {}, but received a ${type}` };
}

export function badDirective(directive: unknown, patch: JsonObject, isInList: boolean): ServersAnswer {
  if (isInList && directive === "merge")
    return { code: 500, text: () => "merging lists cannot yet be specified in the patch" };
  return { code: 500, text: (print) => `unknown patch type: ${shown(directive)} in map: ${print(patch)}` };
}

/** As `%s` shows what is no text. */
function shown(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === null) return "%!s(<nil>)";
  return typeof value === "boolean" ? `%!s(bool=${value})` : `%!s(int64=${value})`;
}

/** Lists of one sort only can be merged. */
export function mixedLists(...lists: readonly (readonly unknown[])[]): ServersAnswer {
  return { code: 500, text: (print) => `list element types are not identical: ${print(lists)}` };
}
