/** GET of many: as they are now or were at some revision, all of them or page by page. */
import { keyOf, type ListMeta, StatusError } from "@berg/apimachinery";
import { badRequest, expired } from "../errors/refusals.ts";
import { type AnyStored, Compacted, type Listed } from "../storage/table.ts";
import { type ContinueToken, continueAfter, decode, encode } from "./continue-token.ts";
import { toServed } from "./conversion.ts";
import { syntaxProblem, untilFresh } from "./freshness.ts";
import { checkListOptions } from "./list-options.ts";
import { type Registry, tableOf } from "./registry.ts";
import type { ServedResource } from "./resource.ts";
import { type Selection, selectionOf } from "./selection.ts";
import type { ListAnswer, ListOptions } from "./verbs.ts";

export async function listObjects(
  registry: Registry,
  resource: ServedResource,
  wantedNamespace: string,
  options: ListOptions,
): Promise<ListAnswer> {
  checkListOptions(options);
  const selection = selectionOf(resource, options);
  const version = parseListVersion(options.resourceVersion);
  const token = options.continue ? tokenOf(options, version) : undefined;
  const namespace = wantedNamespace || (token ? "" : exactly("metadata.namespace", options));
  const wantedLimit = isOfOne(resource, namespace, options) ? 0 : Math.max(0, options.limit ?? 0);
  const listed = await snapshot(registry, resource, namespace, { ...options, limit: wantedLimit }, version, token);
  // Whoever takes any version gets all at once: there is nothing to come back for.
  const limit = options.resourceVersion === "0" && !token ? 0 : wantedLimit;
  const page = pageOf(listed, namespace, token?.start, limit, selection);
  return { metadata: page.metadata, items: page.items.map((stored) => toServed(resource, stored)) };
}

/** Whoever asks by name gets that one, and no page of others to look through. */
function isOfOne({ namespaced }: ServedResource, namespace: string, options: ListOptions): boolean {
  return (namespace !== "" || !namespaced) && !options.continue && exactly("metadata.name", options) !== "";
}

/** The one value of a field that is asked for, if it is one. */
function exactly(field: string, { fieldSelector }: ListOptions): string {
  const found = fieldSelector?.requirements.find((one) => one.field === field && one.operator === "=");
  return found?.value ?? "";
}

function parseListVersion(version: string | undefined): number {
  if (version === undefined || version === "") return 0;
  if (!/^\d+$/.test(version)) throw badRequest(`invalid resource version: ${syntaxProblem(version)}`);
  return Number(version);
}

function tokenOf(options: ListOptions, version: number): ContinueToken {
  if (version !== 0) throw badRequest("specifying resource version is not allowed when using continue");
  return decode(options.continue ?? "");
}

async function snapshot(
  registry: Registry,
  resource: ServedResource,
  namespace: string,
  { limit, resourceVersionMatch }: ListOptions,
  version: number,
  token: ContinueToken | undefined,
): Promise<Listed> {
  const table = tableOf(registry, resource);
  const wanted = token ? token.revision : version;
  await untilFresh(registry, wanted);
  // Clients of before resourceVersionMatch mean exactly this version where they want it in pages.
  const isExact = token ? wanted > 0 : resourceVersionMatch === "Exact" || (!resourceVersionMatch && (limit ?? 0) > 0);
  if (!isExact || wanted <= 0) return table.list(namespace || undefined);
  try {
    return { ...table.listAt(wanted, namespace || undefined), revision: wanted };
  } catch (error) {
    if (!(error instanceof Compacted)) throw error;
    throw token ? pageExpired(token) : expired("The resourceVersion for the provided list is too old.");
  }
}

function pageExpired({ start }: ContinueToken): StatusError {
  const { status } = expired(
    "The provided continue parameter is too old to display a consistent list result. You can start a new list without " +
      "the continue parameter, or use the continue token in this response to retrieve the remainder of the results. " +
      "Continuing with the provided token results in an inconsistent list - objects that were created, modified, or " +
      "deleted between the time the first chunk was returned and now may show up in the list.",
  );
  return new StatusError({ ...status, metadata: { continue: encode({ revision: -1, start }) } });
}

function pageOf(
  { items, revision }: Listed,
  namespace: string,
  start: string | undefined,
  limit: number,
  selection: Selection,
): { items: readonly AnyStored[]; metadata: ListMeta } {
  const prefix = namespace ? `${namespace}/` : "";
  const first = start === undefined ? 0 : firstFrom(items, prefix + start);
  const metadata: ListMeta = { resourceVersion: String(revision) };
  if (limit === 0 && first === 0 && !selection) return { items, metadata };
  const selected: AnyStored[] = [];
  for (let i = first; i < items.length; i++) {
    const stored = items[i] as AnyStored;
    if (selection && !selection(stored)) continue;
    selected.push(stored);
    if (limit === 0 || selected.length < limit) continue;
    if (i < items.length - 1) {
      metadata.continue = continueAfter(keyOf(stored).slice(prefix.length), revision);
      // Nobody knows how many of the rest a selector will choose.
      if (!selection) metadata.remainingItemCount = items.length - 1 - i;
    }
    break;
  }
  return { items: selected, metadata };
}

/** The first whose key is not before `start`. */
function firstFrom(items: readonly AnyStored[], start: string): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keyOf(items[middle] as AnyStored) < start) low = middle + 1;
    else high = middle;
  }
  return low;
}
