/** What must hold whatever is done, in whatever order: random requests, many at once. */
import { jsonEqual, StatusError } from "@berg/apimachinery";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { AnyStored } from "../storage/table.ts";
import { applyOf, at, body, type Given, givenRegistry, make, patchOf } from "./testing/given.ts";
import { configMaps, deployments, foos, pods } from "./testing/kinds.ts";
import type { WatchFrame } from "./verbs.ts";

const finalizer = "x.io/held";
const resources = [configMaps, deployments, foos, pods];
const byName = { configMaps, deployments, foos, pods };
const wantedOf = {
  configMaps: (n: number) => ({ data: { n: String(n) } }),
  deployments: (n: number) => ({ spec: { replicas: n } }),
  foos: (n: number) => ({ spec: { replicas: n } }),
  pods: (n: number) => ({ spec: { nodeName: `n${n}` } }),
};

const step = fc.record({
  verb: fc.constantFrom("create", "update", "merge", "apply", "status", "delete", "finalize", "stale"),
  kind: fc.constantFrom("configMaps" as const, "deployments" as const, "foos" as const, "pods" as const),
  name: fc.constantFrom("a", "b"),
  replicas: fc.nat(2),
  label: fc.constantFrom("x", "y"),
  isHeld: fc.boolean(),
  isDryRun: fc.boolean(),
  grace: fc.constantFrom(undefined, 0, 5),
  policy: fc.constantFrom(undefined, "Orphan" as const, "Background" as const, "Foreground" as const),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function perform(given: Given, { verb, kind, name, replicas, label, isHeld, isDryRun, grace, policy }: Step) {
  const { verbs, caller } = given;
  const resource = byName[kind];
  const place = at(resource, name);
  const options = { isDryRun, fieldValidation: "Ignore" as const, fieldManager: `${verb}r` };
  const held = isHeld ? [finalizer] : [];
  const wanted = wantedOf[kind](replicas);
  const object = make(resource, name, { metadata: { labels: { label }, finalizers: held }, ...wanted });
  switch (verb) {
    case "create":
      return verbs.create(resource, "default", body(object), options, caller);
    case "update": {
      const { resourceVersion = "" } = given.store.table(resource.storedAs).newest(`default/${name}`)?.metadata ?? {};
      return verbs.update(
        place,
        "",
        body({ ...object, metadata: { ...object.metadata, resourceVersion } }),
        options,
        caller,
      );
    }
    case "stale":
      return verbs.update(
        place,
        "",
        body({ ...object, metadata: { ...object.metadata, resourceVersion: "1" } }),
        options,
        caller,
      );
    case "merge":
      return verbs.patch(place, "", patchOf("merge", { metadata: { labels: { label } }, ...wanted }), options, caller);
    case "apply":
      return verbs.patch(place, "", applyOf(make(resource, name, wanted), true), options, caller);
    case "status":
      return verbs.patch(
        place,
        "status",
        patchOf("merge", { spec: { replicas: 9 }, status: { replicas } }),
        options,
        caller,
      );
    case "finalize":
      return verbs.patch(place, "", patchOf("merge", { metadata: { finalizers: null } }), options, caller);
    default:
      return verbs.delete(
        place,
        {
          isDryRun,
          ...(grace !== undefined && { gracePeriodSeconds: grace }),
          ...(policy && { propagationPolicy: policy }),
        },
        caller,
      );
  }
}

async function performOrRefuse(given: Given, taken: Step): Promise<void> {
  try {
    await perform(given, taken);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    if (error.code >= 500) throw error;
  }
}

/** Compares two states of one object that follow each other. */
function checkStep(resource: (typeof resources)[number], before: AnyStored, after: AnyStored): void {
  const [old, next] = [before, after] as unknown as Record<string, unknown>[];
  expect(Number(after.metadata.resourceVersion)).toBeGreaterThan(Number(before.metadata.resourceVersion));
  expect(after.metadata.uid).toBe(before.metadata.uid);
  expect(after.metadata.creationTimestamp).toBe(before.metadata.creationTimestamp);
  if (before.metadata.deletionTimestamp) expect(after.metadata.deletionTimestamp).toBeDefined();
  if (!resource.strategy.hasGeneration) return;
  const isMarked = !before.metadata.deletionTimestamp && after.metadata.deletionTimestamp !== undefined;
  const isOther = !jsonEqual(old?.spec, next?.spec);
  expect((after.metadata.generation ?? 0) - (before.metadata.generation ?? 0)).toBe(isMarked || isOther ? 1 : 0);
}

test("versions grow, generations count, and nothing goes that is held", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 12 }), async (rounds) => {
      await using given = await givenRegistry();
      const watches = await Promise.all(
        resources.map((resource) =>
          given.verbs.watch(
            resource,
            "default",
            { allowBookmarks: false, resourceVersion: "1" },
            new AbortController().signal,
          ),
        ),
      );
      for (const round of rounds) {
        await Promise.all(round.map((taken) => performOrRefuse(given, taken)));
        await given.clock.advance(1000);
      }
      for (const [index, resource] of resources.entries()) {
        const live = given.store.table(resource.storedAs);
        const last = Math.max(0, ...[...live.newestAll()].map(({ metadata }) => Number(metadata.resourceVersion)));
        const states = new Map<string, AnyStored>();
        for (const frame of await framesUpTo(watches[index] as AsyncIterable<readonly WatchFrame[]>, last)) {
          const object = frame.object as unknown as AnyStored;
          const before = states.get(object.metadata.name);
          expect(frame.type === "ADDED").toBe(before === undefined);
          if (frame.type !== "DELETED") {
            if (before) checkStep(resource, before, object);
            states.set(object.metadata.name, object);
            continue;
          }
          // A finalizer is given up by an update, never by a deletion alone: the last state may still show it.
          if (!before?.metadata.deletionTimestamp) expect(before?.metadata.finalizers ?? []).toEqual([]);
          states.delete(object.metadata.name);
        }
        // What the watch tells is what is there.
        for (const stored of live.newestAll()) expect(states.get(stored.metadata.name)).toEqual(stored);
      }
    }),
    { numRuns: 60 },
  );
});

/** All that has happened by now. */
async function framesUpTo(watch: AsyncIterable<readonly WatchFrame[]>, revision: number): Promise<WatchFrame[]> {
  const frames: WatchFrame[] = [];
  if (revision === 0) return frames;
  for await (const batch of watch) {
    frames.push(...batch);
    if (frames.some(({ object }) => Number(object.metadata.resourceVersion) >= revision)) break;
  }
  return frames;
}

test("a dry run stores nothing, and is refused exactly where the request itself is", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 10 }), step, async (before, last) => {
      await using given = await givenRegistry();
      for (const taken of before) await performOrRefuse(given, { ...taken, isDryRun: false });
      const outcomeOf = (isDryRun: boolean) =>
        perform(given, { ...last, isDryRun }).then(
          ({ object }) => ({ ...object, metadata: { ...object.metadata, resourceVersion: "", uid: "" } }),
          (error: StatusError) => error.status,
        );
      const { revision } = given.store;
      const tried = await outcomeOf(true);
      expect(given.store.revision).toBe(revision);
      expect(await outcomeOf(false)).toEqual(tried);
    }),
    { numRuns: 150 },
  );
});
