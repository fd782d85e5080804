import { quoted } from "../parse-error.ts";
import { getField, isJsonObject, isList, jsonEqual, setField } from "./json.ts";
import { formatPointer } from "./json-pointer.ts";
import { kindOf, PatchError } from "./patch-error.ts";

/** The `copy` operations of one patch may together copy no more than this: twenty of them could otherwise make a million of one. */
export const maxJsonPatchCopiedBytes = 3 * 1024 * 1024;

type Container = unknown[] | Record<string, unknown>;

/**
 * A document under change. Every container on the way to a change is copied once for the whole patch and then written
 * in place, so that ten thousand operations on one large map do not copy it ten thousand times.
 */
export class Draft {
  root: unknown;
  readonly #copies = new Set<unknown>();
  #copiedBytes = 0;

  constructor(document: unknown) {
    this.root = document;
  }

  read(path: readonly string[]): unknown {
    let at = this.root;
    for (let depth = 0; depth < path.length; depth++) at = child(at, path, depth);
    return at;
  }

  add(path: readonly string[], value: unknown): void {
    const [parentPath, step] = split(path);
    const parent = this.read(parentPath);
    if (step === undefined) {
      this.replace(path, value);
    } else if (isList(parent)) {
      const index = step === "-" ? parent.length : listIndex(path, parentPath.length, parent.length);
      (this.#writable(parentPath) as unknown[]).splice(index, 0, value);
    } else if (!isJsonObject(parent)) {
      throw new PatchError(422, `nothing can be added to ${kindOf(parent)} at ${quoted(formatPointer(parentPath))}`);
    } else if (!jsonEqual(getField(parent, step), value)) {
      setField(this.#writable(parentPath) as Record<string, unknown>, step, value);
    }
  }

  replace(path: readonly string[], value: unknown): void {
    if (jsonEqual(this.read(path), value)) return;
    const [parentPath, step] = split(path);
    if (step === undefined) this.root = value;
    else setStep(this.#writable(parentPath), step, value);
  }

  remove(path: readonly string[]): void {
    const [parentPath, step] = split(path);
    if (step === undefined) throw new PatchError(422, "the whole document cannot be removed");
    this.read(path);
    const parent = this.#writable(parentPath);
    if (isList(parent)) parent.splice(Number(step), 1);
    else delete parent[step];
  }

  move(from: readonly string[], path: readonly string[]): void {
    const value = this.read(from);
    if (from.every((step, depth) => step === path[depth])) {
      if (from.length === path.length) return;
      throw new PatchError(422, "a value cannot be moved into itself");
    }
    this.remove(from);
    this.add(path, value);
  }

  copy(from: readonly string[], path: readonly string[]): void {
    // A true copy: a shared one would show, at both places, what a later operation writes at one.
    const text = JSON.stringify(this.read(from));
    this.#copiedBytes += Buffer.byteLength(text);
    if (this.#copiedBytes > maxJsonPatchCopiedBytes) {
      throw new PatchError(422, `the copies of this patch exceed ${maxJsonPatchCopiedBytes} bytes`);
    }
    this.add(path, JSON.parse(text));
  }

  #writable(path: readonly string[]): Container {
    this.root = this.#own(this.root);
    let at = this.root as Container;
    for (const step of path) {
      const next = this.#own(isList(at) ? at[Number(step)] : at[step]);
      setStep(at, step, next);
      at = next;
    }
    return at;
  }

  #own(container: unknown): Container {
    if (this.#copies.has(container)) return container as Container;
    const copy = isList(container) ? [...container] : { ...(container as Record<string, unknown>) };
    this.#copies.add(copy);
    return copy;
  }
}

function split(path: readonly string[]): [parent: readonly string[], step: string | undefined] {
  return [path.slice(0, -1), path.at(-1)];
}

function setStep(container: Container, step: string, value: unknown): void {
  if (isList(container)) container[Number(step)] = value;
  else setField(container, step, value);
}

function child(container: unknown, path: readonly string[], depth: number): unknown {
  const step = path[depth] as string;
  if (isList(container)) return container[listIndex(path, depth, container.length - 1)];
  const value = isJsonObject(container) ? getField(container, step) : undefined;
  if (value === undefined) {
    throw new PatchError(422, `there is no ${quoted(step)} in ${quoted(formatPointer(path.slice(0, depth)))}`);
  }
  return value;
}

function listIndex(path: readonly string[], depth: number, last: number): number {
  const step = path[depth] as string;
  const index = /^(0|[1-9]\d*)$/.test(step) ? Number(step) : Number.POSITIVE_INFINITY;
  if (index <= last) return index;
  throw new PatchError(422, `the list at ${quoted(formatPointer(path.slice(0, depth)))} has no index ${quoted(step)}`);
}
