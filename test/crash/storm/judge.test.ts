/** A judge that finds nothing protects nothing: each of its findings is shown on a history made by hand. */
import type { KubeObject, Stored } from "@berg/apimachinery";
import { describe, expect, test } from "vitest";
import type { Observed } from "../../invariants/record.ts";
import { lateness, leftOver, wronglyDeleted } from "./judge.ts";

const due = Date.parse("2026-11-15T12:00:00Z");
const marks = { "app.kubernetes.io/managed-by": "berg", "berg.norelect.ch/instance-uid": "i-1" };

/** Changes at moments in seconds from when the time of the instance is up. */
class History {
  readonly changes: Observed[] = [];

  add(seconds: number, type: Observed["type"], resource: string, object: { metadata: object }): this {
    const { metadata } = object;
    const stored = { ...object, metadata: { resourceVersion: String(this.changes.length + 1), ...metadata } };
    // By the clock that never jumps, as the watches count.
    const at = due + seconds * 1000 - Date.now() + performance.now();
    this.changes.push({ type, resource, object: stored as unknown as Stored<KubeObject>, at });
    return this;
  }

  instance(seconds: number, type: Observed["type"], metadata = {}): this {
    const object = {
      kind: "ChallengeInstance",
      metadata: { uid: "i-1", name: "one", ...metadata },
      spec: {},
      status: { expiresAt: "2026-11-15T12:00:00Z" },
    };
    return this.add(seconds, type, "challengeinstances", object);
  }

  deployment(seconds: number, type: Observed["type"]): this {
    return this.add(seconds, type, "deployments", { metadata: { uid: "d-1", name: "web", labels: marks } });
  }

  namespace(seconds: number, type: Observed["type"], labels: object = marks): this {
    const metadata = { uid: "n-1", name: "challenge-1", labels, ...(type !== "added" && { deletionTimestamp: "now" }) };
    return this.add(seconds, type, "namespaces", { metadata });
  }
}

const history = () => new History();
const going = { deletionTimestamp: "now" };

describe("how late an instance ends", () => {
  const late = ({ changes }: History, deaths: Parameters<typeof lateness>[1] = []) =>
    lateness(changes, deaths, Date.now()).map(({ ms, limitMs }) => [Math.round(ms / 100) / 10, limitMs]);

  test.each([
    [
      "by what runs longest",
      history().instance(-9, "added").deployment(-8, "added").instance(1, "updated", going).deployment(7, "deleted"),
      7,
    ],
    [
      "by itself, where that is last",
      history().instance(-9, "added").deployment(-8, "added").deployment(1, "deleted").instance(6, "deleted"),
      6,
    ],
    [
      "by the first sign of its end",
      history().instance(-9, "added").instance(2, "updated", going).instance(30, "deleted"),
      2,
    ],
    [
      "for ever, where it never ends",
      history().instance(-9, "added").deployment(-8, "added").instance(1, "deleted"),
      Number.POSITIVE_INFINITY,
    ],
  ])("is told %s", (_, told, want) => {
    expect(late(told)).toEqual([[want, 5000]]);
  });

  test("may be more where a controller was killed about then", () => {
    const told = history().instance(-9, "added").instance(2, "deleted");
    expect(late(told, [{ command: "controller", at: due - 10_000 }])).toEqual([[2, 20_000]]);
    expect(late(told, [{ command: "janitor", at: due - 10_000 }])).toEqual([[2, 5000]]);
    expect(late(told, [{ command: "controller", at: due - 60_000 }])).toEqual([[2, 5000]]);
  });
});

describe("a namespace is wrongly deleted", () => {
  const wrong = ({ changes }: History, byHand: string[] = []) => wronglyDeleted(changes, new Set(byHand), Date.now());

  test.each([
    [
      "before the time of its instance is up",
      history().instance(-9, "added").namespace(-5, "updated"),
      "before its time",
    ],
    ["without our mark", history().instance(-9, "added").namespace(5, "updated", {}), "nobody's to delete"],
    ["where its instance never was", history().namespace(5, "deleted"), "nobody's to delete"],
  ])("%s", (_, told, want) => {
    expect(wrong(told)).toEqual([expect.stringContaining(want)]);
    expect(wrong(told, ["challenge-1"])).toEqual([]);
  });

  test.each([
    ["after its time", history().instance(-9, "added").namespace(1, "updated").namespace(2, "deleted")],
    ["after somebody has deleted its instance", history().instance(-9, "updated", going).namespace(-5, "updated")],
  ])("not %s", (_, told) => {
    expect(wrong(told)).toEqual([]);
  });
});

test("what is left is ours, and no event or record of what ran", () => {
  const object = (kind: string, labels = {}) =>
    ({ kind, metadata: { namespace: "n", name: "x", labels } }) as unknown as Stored<KubeObject>;
  const all = ["ConfigMap", "Event", "ControllerRevision"].map((kind) => object(kind, marks));
  expect(leftOver([...all, object("Secret"), object("ChallengeInstance")])).toEqual([
    "ConfigMap n/x",
    "ChallengeInstance n/x",
  ]);
});
