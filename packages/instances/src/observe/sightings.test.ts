import type { Stored } from "@berg/apimachinery";
import { type Namespace, Namespaces } from "@berg/kube";
import { FakeClock, settle } from "@berg/kube/testing";
import { expect, test } from "vitest";
import { ModelCluster } from "../testing/model-cluster.ts";
import { ModelInformer } from "../testing/model-informer.ts";
import { Sightings } from "./sightings.ts";

function begin() {
  const cluster = new ModelCluster();
  const informer = new ModelInformer<Namespace>(cluster, Namespaces);
  const clock = new FakeClock(0);
  const sightings = new Sightings(informer.asInformer(), clock);
  const make = (name: string) => cluster.create("hand", Namespaces, { metadata: { name } }) as Stored<Namespace>;
  /** What was waited for and has come. */
  const seen: string[] = [];
  const wait = (made: Stored<Namespace>) => void sightings.of(made).then(() => seen.push(made.metadata.name));
  return { informer, clock, make, wait, seen };
}

test("what we made is waited for until our copy shows it", async () => {
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

test("what our copy shows already is not waited for", async () => {
  const { informer, make, wait, seen } = begin();
  const made = make("a");
  informer.deliver();
  wait(made);
  await settle();
  expect(seen).toEqual(["a"]);
});

test("a copy that is far behind holds up nobody for longer than the server would", async () => {
  const { clock, make, wait, seen } = begin();
  wait(make("a"));
  await clock.advance(49);
  expect(seen).toEqual([]);
  await clock.advance(1);
  expect(seen).toEqual(["a"]);
});
