import { expect, test } from "vitest";
import type { AnyStoredObject } from "../../registry/resource.ts";
import { type Manifest, play, texts } from "../testing/play.ts";
import { namespaces } from "./namespace.ts";

const { object } = play(namespaces, { metadata: { name: "a" } });
const leaving = {
  ...object,
  metadata: { ...object?.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" },
} as AnyStoredObject;
const withPhase = (phase: string) => ({ ...leaving, status: { phase } }) as unknown as Manifest;

test("a namespace that is to go is Terminating, and nothing else", () => {
  const place = { old: leaving, subresource: "status" };
  expect(play(namespaces, withPhase("Terminating"), place).causes).toBeUndefined();
  expect(texts(play(namespaces, withPhase("Active"), place))).toEqual([
    "status.Phase: Invalid value: \"Active\": may only be 'Terminating' if `deletionTimestamp` is not empty",
  ]);
});

test("its finalizers are checked where they are written", () => {
  const finalize = (finalizers: string[]) =>
    texts(
      play(namespaces, { ...leaving, spec: { finalizers } } as unknown as Manifest, {
        old: { ...leaving, spec: { finalizers } } as never,
        subresource: "finalize",
      }),
    );
  expect(finalize([])).toEqual([]);
  expect(finalize(["kubernetes", "x"])).toEqual([
    'spec.finalizers[1]: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified',
  ]);
});
