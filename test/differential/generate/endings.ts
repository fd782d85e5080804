/** Requests that delete: with every policy, precondition and grace, one object or many. */
import fc from "fast-check";
import type { Json, Kind } from "../kinds/index.ts";
import type { Step } from "../step.ts";
import { asked, key, pathOf } from "./places.ts";
import { oneIn } from "./values.ts";

const common = {
  propagationPolicy: oneIn(2, fc.constantFrom("Background", "Foreground", "Orphan", "Odd")),
  gracePeriodSeconds: oneIn(2, fc.constantFrom(0, 1, 5, -1)),
  orphanDependents: oneIn(10, fc.boolean()),
  dryRun: oneIn(10, fc.constant(["All"])),
};

function withoutNulls(options: Json): Json {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== null));
}

export function remove(kind: Kind, name: string): fc.Arbitrary<Step> {
  const at = key(kind, name);
  const preconditions = oneIn(
    2,
    fc.constantFrom<Json>(
      { uid: `{uid ${at}}` },
      { resourceVersion: `{rv ${at}}` },
      { resourceVersion: `{oldrv ${at}}` },
      { uid: "odd" },
      {},
    ),
  );
  const path = pathOf(kind, name);
  const inBody = fc
    .record({ ...common, preconditions })
    .map((body): Step => ({ method: "DELETE", path, body: withoutNulls(body) }));
  const inQuery = fc
    .record({ propagationPolicy: common.propagationPolicy, gracePeriodSeconds: common.gracePeriodSeconds })
    .map((options): Step => ({ method: "DELETE", path: asked(path, options) }));
  return fc.oneof(inBody, inQuery, fc.constant<Step>({ method: "DELETE", path }));
}

export function removeMany(kind: Kind): fc.Arbitrary<Step> {
  const selectors = fc.record({
    labelSelector: oneIn(2, fc.constantFrom("a=b", "!a", "a in (a,b)")),
    fieldSelector: oneIn(3, fc.constantFrom("metadata.name=a", "metadata.name!=a")),
    limit: oneIn(4, fc.constant(1)),
  });
  return fc.tuple(selectors, fc.record(common)).map(([query, body]) => ({
    method: "DELETE",
    path: asked(pathOf(kind), query),
    body: withoutNulls(body),
  }));
}
