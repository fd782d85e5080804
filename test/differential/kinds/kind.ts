/** What the generator knows of a kind, and the few words and values that make requests meet. */
import fc from "fast-check";

export type Json = Record<string, unknown>;
export type Body = fc.Arbitrary<Json>;

export interface Kind {
  readonly resource: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** Whether objects stand in the namespace of the play, or beside it. */
  readonly namespaced: boolean;
  /** Without these no object is accepted. */
  readonly base: Json;
  /** Fields, each of which may be missing. */
  readonly body: Body;
  readonly status?: Body;
  readonly hasScale?: boolean;
}

export const word = fc.constantFrom("a", "b", "c");
export const number = fc.constantFrom(1, 2, 3);
export const wordMap = fc.dictionary(word, word, { maxKeys: 2 }) as Body;
export const few = { maxLength: 2 };

/** With each field or without it. */
export function some(fields: Record<string, fc.Arbitrary<unknown>>): Body {
  return fc.record(fields, { requiredKeys: [] }) as Body;
}

/** Like `some`, but most fields are missing: for objects with many. */
export function rarely(fields: Record<string, fc.Arbitrary<unknown>>, required: string[] = []): Body {
  const entries = Object.entries(fields);
  return fc
    .tuple(
      fc.subarray(
        entries.map(([name]) => name),
        { maxLength: Math.min(4, entries.length) },
      ),
      fc.tuple(...entries.map(([, value]) => value)),
    )
    .map(([kept, values]) => {
      const wanted = new Set([...kept, ...required]);
      return Object.fromEntries(
        entries.map(([name], index) => [name, values[index]]).filter(([name]) => wanted.has(name as string)),
      );
    });
}

/** Objects told apart by these keys; those, and what is required besides, each of them has. */
export function keyed(keys: string[], fields: Record<string, fc.Arbitrary<unknown>>, required: string[] = []) {
  const item = rarely(fields, [...keys, ...required]);
  const keyOf = (value: Json) => JSON.stringify(keys.map((key) => value[key]));
  return fc.uniqueArray(item, { ...few, selector: keyOf });
}

const owner = (uid: string) => ({ apiVersion: "v1", kind: "ConfigMap", name: uid, uid: `uid-${uid}` });

export const metadata = some({
  labels: wordMap,
  annotations: wordMap,
  finalizers: fc.uniqueArray(fc.constantFrom("x.io/a", "x.io/b"), few),
  ownerReferences: fc.uniqueArray(fc.constantFrom("a", "b"), { maxLength: 1 }).map((uids) => uids.map(owner)),
});
