/** Keeps the number of those who update an object small: the oldest are taken together as `ancient-changes`. */
import { idOf, type Manager, type Managers, oldestFirst } from "./managers.ts";
import { compareText } from "./values.ts";

const mostUpdaters = 10;

export function capUpdaters(managers: Managers): void {
  const updaters = [...managers].filter(([, { operation }]) => operation === "Update");
  let count = updaters.length;
  if (count <= mostUpdaters) return;
  updaters.sort(([aId, a], [bId, b]) => oldestFirst(a, b) || compareText(aId, bId));
  const firstOfVersion = new Map<string, string>();
  for (const [id, updater] of updaters) {
    if (count <= mostUpdaters) break;
    const first = firstOfVersion.get(updater.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(updater.apiVersion, id);
      continue;
    }
    mergeIntoAncient(managers, first, id, updater);
    count--;
  }
}

function mergeIntoAncient(managers: Managers, first: string, id: string, updater: Manager): void {
  const { apiVersion, time, fields } = updater;
  const ancient = { manager: "ancient-changes", operation: "Update", apiVersion, subresource: "" } as const;
  const ancientId = idOf(ancient);
  const before = managers.get(ancientId) ?? managers.get(first);
  if (!managers.has(ancientId)) managers.delete(first);
  managers.set(ancientId, { ...ancient, time, fields: before ? fields.union(before.fields) : fields });
  // Kubernetes does it in this order as well, and so forgets the ancient ones where they are no older than another.
  managers.delete(id);
}
