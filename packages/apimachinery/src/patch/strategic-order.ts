import { PatchError } from "./patch-error.ts";
import type { ElementId } from "./strategic-directives.ts";

/**
 * Orders a merged list as Kubernetes does: the elements that `wanted` names stand in its order; the others keep the
 * order they had on the server, each before the first named element that it preceded there.
 */
export function orderElements<T>(
  elements: readonly T[],
  idOf: (element: T) => ElementId,
  wanted: readonly ElementId[],
  server: readonly ElementId[],
): T[] {
  const wantedAt = firstPlaces(wanted);
  const serverAt = firstPlaces(server);
  const place = (element: T) => wantedAt.get(idOf(element));
  const named = elements
    .filter((element) => place(element) !== undefined)
    .sort((a, b) => (place(a) ?? 0) - (place(b) ?? 0));
  const others = elements.filter((element) => place(element) === undefined);

  const precedes = (other: T, element: T) => {
    const left = serverAt.get(idOf(other));
    const right = serverAt.get(idOf(element));
    return left !== undefined && right !== undefined && left < right;
  };
  const ordered: T[] = [];
  let next = 0;
  for (const element of named) {
    for (; next < others.length && precedes(others[next] as T, element); next++) ordered.push(others[next] as T);
    ordered.push(element);
  }
  return [...ordered, ...others.slice(next)];
}

/** A patch that asks for an order must list its elements in it, and none besides. */
export function checkOrder(
  elements: readonly unknown[],
  wanted: readonly unknown[],
  idOf: (element: unknown) => ElementId,
  at: string,
): void {
  const ids = elements.map(idOf);
  if (wanted.length === 0) return;
  let found = 0;
  for (const id of wanted.map(idOf)) if (id === ids[found]) found++;
  if (found === ids.length) return;
  throw new PatchError(400, `the elements of ${at} do not stand in the order that its $setElementOrder gives`, {
    code: 500,
    text: (print) =>
      `The order in patch list:\n${print(elements)}\n doesn't match $setElementOrder list:\n${print(wanted)}\n`,
  });
}

function firstPlaces(ids: readonly ElementId[]): Map<ElementId, number> {
  const places = new Map<ElementId, number>();
  for (const [index, id] of ids.entries()) if (!places.has(id)) places.set(id, index);
  return places;
}
