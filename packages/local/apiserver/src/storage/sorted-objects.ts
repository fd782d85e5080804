/**
 * Objects in the order of their keys, as etcd has them. They stand in chunks of some hundred, so that putting one in
 * among 50,000 moves few others, and those of one namespace are found without looking at the rest.
 */
import type { ObjectKey } from "@berg/apimachinery";
import type { AnyStored } from "./table.ts";

interface Chunk {
  keys: ObjectKey[];
  objects: AnyStored[];
}

const mostInChunk = 512;

export class SortedObjects {
  /** None of them is empty. */
  #chunks: Chunk[] = [];
  #size = 0;

  copy(): SortedObjects {
    const copy = new SortedObjects();
    copy.#chunks = this.#chunks.map(({ keys, objects }) => ({ keys: keys.slice(), objects: objects.slice() }));
    copy.#size = this.#size;
    return copy;
  }

  get size(): number {
    return this.#size;
  }

  get(key: ObjectKey): AnyStored | undefined {
    const chunk = this.#chunks[this.#chunkFor(key)];
    if (!chunk) return undefined;
    const index = lowerBound(chunk.keys, key);
    return chunk.keys[index] === key ? chunk.objects[index] : undefined;
  }

  set(key: ObjectKey, object: AnyStored): void {
    const at = Math.min(this.#chunkFor(key), this.#chunks.length - 1);
    const chunk = this.#chunks[at];
    if (!chunk) {
      this.#chunks.push({ keys: [key], objects: [object] });
      this.#size = 1;
      return;
    }
    const index = lowerBound(chunk.keys, key);
    if (chunk.keys[index] === key) {
      chunk.objects[index] = object;
      return;
    }
    chunk.keys.splice(index, 0, key);
    chunk.objects.splice(index, 0, object);
    this.#size++;
    if (chunk.keys.length > mostInChunk) this.#split(at, chunk);
  }

  delete(key: ObjectKey): void {
    const at = this.#chunkFor(key);
    const chunk = this.#chunks[at];
    if (!chunk) return;
    const index = lowerBound(chunk.keys, key);
    if (chunk.keys[index] !== key) return;
    chunk.keys.splice(index, 1);
    chunk.objects.splice(index, 1);
    this.#size--;
    if (chunk.keys.length === 0) this.#chunks.splice(at, 1);
  }

  /** Of one namespace, or all of them. */
  list(namespace?: string): AnyStored[] {
    const { from, to } = keysOf(namespace);
    const found: AnyStored[] = [];
    for (let at = this.#chunkFor(from); at < this.#chunks.length; at++) {
      const { keys, objects } = this.#chunks[at] as Chunk;
      const start = lowerBound(keys, from);
      const end = to === undefined ? keys.length : lowerBound(keys, to);
      for (let index = start; index < end; index++) found.push(objects[index] as AnyStored);
      if (end < keys.length) break;
    }
    return found;
  }

  /** The first chunk that may hold the key: the first whose last key is not before it. */
  #chunkFor(key: ObjectKey): number {
    let low = 0;
    let high = this.#chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const { keys } = this.#chunks[middle] as Chunk;
      if ((keys[keys.length - 1] as ObjectKey) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #split(at: number, { keys, objects }: Chunk): void {
    const half = keys.length >>> 1;
    this.#chunks.splice(at + 1, 0, { keys: keys.splice(half), objects: objects.splice(half) });
  }
}

/** Keys of a namespace are `namespace/…`, so they stand between that and the next character after the slash. */
function keysOf(namespace: string | undefined): { from: ObjectKey; to?: ObjectKey } {
  return namespace ? { from: `${namespace}/`, to: `${namespace}0` } : { from: "" };
}

/** Where the key stands, or would stand. */
function lowerBound(keys: readonly ObjectKey[], key: ObjectKey): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] as ObjectKey) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
