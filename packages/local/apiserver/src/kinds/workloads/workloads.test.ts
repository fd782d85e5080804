import { applyMergePatch, StatusError } from "@berg/apimachinery";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { workloadKinds } from "./index.ts";
import { cases, deployment, replicaSet, slice } from "./testing/cases.ts";
import { changes } from "./testing/changes.ts";
import { filledIn, type Judged, judgeChanged, judgeNew, kindOf, stored } from "./testing/judge.ts";
import { randomObject } from "./testing/random-objects.ts";
import { rows } from "./testing/rows.ts";

// A real API server says the same of all of these: workloads.real.test.ts. So the snapshots are its answers.

describe("what becomes of", () => {
  test.each(cases)("$what", ({ manifest }) => {
    expect(shown(judgeNew(kindOf(manifest.kind as string), manifest))).toMatchSnapshot();
  });

  test.each(changes)("$what", ({ manifest, status, change, subresource }) => {
    const kind = kindOf(manifest.kind as string);
    const before = stored(kind, manifest, status);
    const after = change(structuredClone(before) as unknown as Record<string, unknown>);
    expect(shown(judgeChanged(kind, after, before, subresource))).toMatchSnapshot();
  });
});

describe("the row of", () => {
  test.each(rows)("$what", ({ manifest, status, isEnding }) => {
    const kind = kindOf(manifest.kind as string);
    const object = stored(kind, manifest, status);
    if (isEnding) object.metadata.deletionTimestamp = "2026-01-02T00:00:00Z";
    const now = Date.parse("2026-01-02T00:00:00Z");
    expect(kind.columns.map(({ value }) => value(object, now)).join(" | ")).toMatchSnapshot();
  });
});

describe("besides its spec, a change is counted of", () => {
  const labels = { metadata: { labels: { a: "b" } } };
  const annotations = { metadata: { annotations: { a: "b" } } };
  test.each([
    { what: "the annotations of a deployment", manifest: deployment(), patch: annotations, want: 2 },
    { what: "the labels of a slice", manifest: slice(), patch: labels, want: 2 },
    { what: "neither, of anything else", manifest: replicaSet(), patch: { ...labels, ...annotations }, want: 1 },
  ])("$what", ({ manifest, patch, want }) => {
    const kind = kindOf(manifest.kind as string);
    const before = stored(kind, manifest);
    before.metadata.generation = 1;
    const { object } = judgeChanged(kind, applyMergePatch(before, patch), before);
    expect(object?.metadata.generation).toBe(want);
  });
});

test("a budget is changed by whoever has seen it", () => {
  const needing = workloadKinds.filter(({ strategy }) => strategy.needsVersion).map(({ kind }) => kind);
  expect(needing).toEqual(["PodDisruptionBudget"]);
});

describe.each(workloadKinds)("$kind", (kind) => {
  test("is filled in once and for all", () => {
    for (const { manifest } of cases.filter(({ manifest }) => manifest.kind === kind.kind)) {
      const once = filledIn(kind, manifest);
      expect(filledIn(kind, once)).toEqual(once);
    }
  });

  test("is judged, whatever is in it", () => {
    fc.assert(
      fc.property(randomObject(kind), randomObject(kind), (one, other) => {
        const judged = orRefused(() => judgeNew(kind, one));
        if (!judged?.object) return;
        expect(judged.errors.every((text) => typeof text === "string")).toBe(true);
        orRefused(() => judgeChanged(kind, other, judged.object));
        orRefused(() => judgeChanged(kind, other, judged.object, "status"));
        for (const { value } of kind.columns) if (judged.errors.length === 0) value(judged.object, 0);
        for (const value of Object.values(kind.selectableFields)) expect(typeof value(judged.object)).toBe("string");
      }),
      { numRuns: 60 },
    );
  });
});

/** On one line where it is accepted, so that a change of one rule is a change of few lines. */
function shown({ object, errors, warnings }: Judged): string {
  if (errors.length > 0) return errors.join("\n");
  return [JSON.stringify(object), ...warnings].join("\n");
}

/** What cannot be read at all is refused before any rule sees it. */
function orRefused<T>(judge: () => T): T | undefined {
  try {
    return judge();
  } catch (error) {
    if (error instanceof StatusError) return undefined;
    throw error;
  }
}
