/** Keeps the number of those who update an object small: the oldest are taken together as `ancient-changes`. */
import { FieldSet } from "./field-set.ts";
import { idOf, type Manager, type Managers, oldestFirst } from "./managers.ts";
import { compareText } from "./values.ts";

const mostUpdaters = 10;

export function capUpdaters(managers: Managers): void {
  const updaters = [...managers].filter(([, { operation }]) => operation === "Update");
  let count = updaters.length;
  if (count <= mostUpdaters) return;
  updaters.sort(([aId, a], [bId, b]) => oldestFirst(a, b) || compareText(aId, bId));
  const firstOfVersion = new Map<string, string>();
  const ancient = new AncientChanges(managers);
  for (const [id, updater] of updaters) {
    if (count <= mostUpdaters) break;
    const first = firstOfVersion.get(updater.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(updater.apiVersion, id);
      continue;
    }
    ancient.add(first, id, updater);
    count--;
  }
}

/** Merges updaters one by one into a set that grows in place: a client may send thousands of them. */
class AncientChanges {
  readonly #managers: Managers;
  readonly #fieldsById = new Map<string, FieldSet>();

  constructor(managers: Managers) {
    this.#managers = managers;
  }

  add(first: string, id: string, { apiVersion, time, fields }: Manager): void {
    const ancient = { manager: "ancient-changes", operation: "Update", apiVersion, subresource: "" } as const;
    const ancientId = idOf(ancient);
    const before = this.#managers.get(ancientId) ?? this.#managers.get(first);
    if (!this.#managers.has(ancientId)) this.#managers.delete(first);
    let merged = this.#fieldsById.get(ancientId);
    if (merged === undefined || merged !== before?.fields) {
      merged = new FieldSet();
      if (before) merged.addAll(before.fields);
      this.#fieldsById.set(ancientId, merged);
    }
    merged.addAll(fields);
    this.#managers.set(ancientId, { ...ancient, time, fields: merged });
    // Kubernetes does it in this order as well, and so forgets the ancient ones where they are no older than another.
    this.#managers.delete(id);
  }
}
