import type { Change, Informer } from "@berg/kube";
import type { KubeconfigRequest } from "@berg/resources";
import { expect, test } from "vitest";
import { makeRequest } from "./testing/make-seen.ts";
import { watchBeginning } from "./urgent.ts";

test("it is urgent once, when it begins: our own writes while it lasts are not", () => {
  let tell: (change: Change<KubeconfigRequest>) => void = () => {};
  const informer = {
    onChange(listener: typeof tell) {
      tell = listener;
      return () => {};
    },
  } as unknown as Informer<KubeconfigRequest>;
  const added: string[] = [];
  const watch = watchBeginning(
    informer,
    ({ metadata }) => metadata.deletionTimestamp !== undefined,
    ({ metadata }) => [metadata.name],
  );
  watch.start((key, options) => added.push(`${key} ${options?.priority}`));
  const [old, going] = [makeRequest({ name: "a" }), makeRequest({ name: "a", deletedAt: "2026-01-01T00:00:00Z" })];
  tell({ type: "added", object: old });
  tell({ type: "updated", object: old, old });
  expect(added).toEqual([]);
  tell({ type: "updated", object: going, old });
  tell({ type: "updated", object: going, old: going });
  expect(added).toEqual(["a 10"]);
  tell({ type: "added", object: going });
  expect(added).toEqual(["a 10", "a 10"]);
});
