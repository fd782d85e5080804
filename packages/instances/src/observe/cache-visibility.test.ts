import type { Stored } from "@berg/apimachinery";
import { type Namespace, Namespaces } from "@berg/kube";
import { FakeClock, settle } from "@berg/kube/testing";
import { expect, test } from "vitest";
import { ModelCluster } from "../testing/model-cluster.ts";
import { ModelInformer } from "../testing/model-informer.ts";
import { CacheVisibility } from "./cache-visibility.ts";

function begin() {
  const cluster = new ModelCluster();
  const informer = new ModelInformer<Namespace>(cluster, Namespaces);
  const clock = new FakeClock(0);
  const visibility = new CacheVisibility(informer.asInformer(), clock);
  const make = (name: string) => cluster.create("hand", Namespaces, { metadata: { name } }) as Stored<Namespace>;
  /** The names of those whose wait is over. */
  const seen: string[] = [];
  const wait = (made: Stored<Namespace>) => void visibility.waitFor(made).then(() => seen.push(made.metadata.name));
  return { informer, clock, make, wait, seen };
}

test("waits until the cache has the object", async () => {
  const { informer, make, wait, seen } = begin();
  wait(make("a"));
  wait(make("b"));
  await settle();
  expect(seen).toEqual([]);
  informer.deliver(1);
  await settle();
  expect(seen).toEqual(["a"]);
  informer.deliver();
  await settle();
  expect(seen).toEqual(["a", "b"]);
});

test("does not wait for an object that the cache has", async () => {
  const { informer, make, wait, seen } = begin();
  const made = make("a");
  informer.deliver();
  wait(made);
  await settle();
  expect(seen).toEqual(["a"]);
});

test("waits for 50 ms at most where the cache is far behind", async () => {
  const { clock, make, wait, seen } = begin();
  wait(make("a"));
  await clock.advance(49);
  expect(seen).toEqual([]);
  await clock.advance(1);
  expect(seen).toEqual(["a"]);
});
