/**
 * JSON patches as kube-apiserver takes them, which is laxer than the standard that `@berg/apimachinery` holds to: what is
 * not there counts as null where it is read or replaced, an index may have a sign and count from the end, and whatever
 * stands before the first slash of a path is ignored.
 */
import { jsonEqual } from "@berg/apimachinery";
import { draftOf, isObject, setField } from "../json.ts";

/** That it cannot be applied. Which operation failed, and why, Kubernetes does not say. */
export class Inapplicable extends Error {}

/** Together, the copies of one patch may not be larger. */
const mostCopiedBytes = 3 * 1024 * 1024;

type Holder = unknown[] | Record<string, unknown>;

/** The operations are objects, or null. Throws `Inapplicable`; `document` stays as it is. */
export function applyPatch(document: unknown, operations: readonly unknown[]): unknown {
  const patching = new Patching(draftOf(document) as Holder);
  for (const operation of operations) patching.apply(isObject(operation) ? operation : {});
  return patching.root;
}

class Patching {
  root: Holder;
  #copied = 0;

  constructor(root: Holder) {
    this.root = root;
  }

  apply(operation: Record<string, unknown>): void {
    const { op } = operation;
    const value = () => draftOf(Object.hasOwn(operation, "value") ? operation.value : null);
    const place = () => this.#find(pointer(operation, "path"));
    if (op === "add") add(...place(), value());
    else if (op === "remove") remove(...place());
    else if (op === "replace") this.#replace(pointer(operation, "path"), value());
    else if (op === "test") this.#test(pointer(operation, "path"), value());
    else if (op === "move") {
      const from = this.#find(pointer(operation, "from"));
      const moved = get(...from);
      remove(...from);
      add(...place(), moved);
    } else if (op === "copy") add(...place(), this.#copy(get(...this.#find(pointer(operation, "from")))));
    else throw new Inapplicable();
  }

  #replace(path: string, value: unknown): void {
    if (path === "") {
      if (typeof value !== "object" || value === null) throw new Inapplicable();
      this.root = value as Holder;
      return;
    }
    const [holder, key] = this.#find(path);
    if (Array.isArray(holder)) holder[indexIn(key, holder.length)] = value;
    else setField(holder, key, value);
  }

  #test(path: string, value: unknown): void {
    const found = path === "" ? this.root : get(...this.#find(path));
    if (!jsonEqual(found, value)) throw new Inapplicable();
  }

  #copy(value: unknown): unknown {
    if (value === null) return null;
    this.#copied += Buffer.byteLength(JSON.stringify(value));
    if (this.#copied > mostCopiedBytes) throw new Inapplicable();
    return draftOf(value);
  }

  /** What holds that which the path points to, and under which key. */
  #find(path: string): [Holder, string] {
    const [, ...steps] = path.split("/").map(unescaped);
    const key = steps.pop();
    if (key === undefined) throw new Inapplicable();
    let holder = this.root;
    for (const step of steps) {
      const next = get(holder, step);
      if (typeof next !== "object" || next === null) throw new Inapplicable();
      holder = next as Holder;
    }
    return [holder, key];
  }
}

function pointer(operation: Record<string, unknown>, name: "path" | "from"): string {
  const text = operation[name];
  if (typeof text !== "string") throw new Inapplicable();
  return text;
}

/** In this order: `~01` means `~1`, not `/`. */
function unescaped(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}

function get(holder: Holder, key: string): unknown {
  if (Array.isArray(holder)) return holder[indexIn(key, holder.length)];
  return Object.hasOwn(holder, key) ? holder[key] : null;
}

function add(holder: Holder, key: string, value: unknown): void {
  if (!Array.isArray(holder)) setField(holder, key, value);
  else holder.splice(key === "-" ? holder.length : indexIn(key, holder.length + 1), 0, value);
}

function remove(holder: Holder, key: string): void {
  if (Array.isArray(holder)) holder.splice(indexIn(key, holder.length), 1);
  else if (Object.hasOwn(holder, key)) delete holder[key];
  else throw new Inapplicable();
}

/** Of a list with so many places. */
function indexIn(key: string, places: number): number {
  if (!/^[+-]?\d+$/.test(key)) throw new Inapplicable();
  const index = Number(key) < 0 ? Number(key) + places : Number(key);
  if (index < 0 || index >= places) throw new Inapplicable();
  return index;
}
