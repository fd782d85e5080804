/** Requests that read: one object, lists in pages and by selector, watches from now and from long ago. */
import fc from "fast-check";
import type { Kind } from "../kinds/index.ts";
import type { Step } from "../step.ts";
import { asked, key, pathOf } from "./places.ts";
import { oneIn } from "./values.ts";

const as = (what: string) => `application/json;as=${what};v=v1;g=meta.k8s.io`;
const accept = oneIn(6, fc.constantFrom(as("PartialObjectMetadata"), as("Table")));
const acceptList = oneIn(6, fc.constantFrom(as("PartialObjectMetadataList"), as("Table")));

const labelSelector = oneIn(
  2,
  fc.constantFrom("a=b", "a", "!a", "a in (a,b)", "a!=b,b", "a==a", "a notin (b)", "x=y", "(", "a=A_/"),
);

function fieldSelector({ resource }: Kind): fc.Arbitrary<string | null> {
  const own: Record<string, string[]> = {
    gadgets: ["spec.color=red", "spec.color!=red", "spec.size=1"],
    pods: ["spec.nodeName=n", "status.phase=Pending", "spec.restartPolicy=Always,status.phase!=Running"],
    secrets: ["type=Opaque", "type!=Opaque"],
    namespaces: ["status.phase=Active", "status.phase=Terminating"],
    services: ["spec.clusterIP=None", "spec.type=NodePort"],
  };
  const choices = [
    "metadata.name=a",
    "metadata.name!=a",
    "metadata.namespace={ns}",
    "spec.odd=1",
    ...(own[resource] ?? []),
  ];
  return oneIn(2, fc.constantFrom(...choices));
}

/** Other plays' namespaces must not be seen. */
function selectedIn(kind: Kind, selector: string | null): string | null {
  if (kind.namespaced) return selector;
  return selector === null ? "play={ns}" : `play={ns},${selector}`;
}

export function get(kind: Kind, name: string): fc.Arbitrary<Step> {
  const version = oneIn(6, fc.constantFrom("0", `{rv ${key(kind, name)}}`, "999999999", "odd"));
  const part = fc.constantFrom("", "", "", ...(kind.status ? ["/status"] : []), ...(kind.hasScale ? ["/scale"] : []));
  return fc.tuple(version, part, accept).map(([resourceVersion, subresource, form]) => ({
    method: "GET",
    path: asked(pathOf(kind, name) + subresource, { resourceVersion }),
    ...(form !== null && { accept: form }),
  }));
}

export function list(kind: Kind, name: string): fc.Arbitrary<Step> {
  const versions = fc.constantFrom<Record<string, string>>(
    {},
    {},
    {},
    { resourceVersion: "0" },
    { resourceVersion: `{rv ${key(kind, name)}}` },
    { resourceVersion: `{rv ${key(kind, name)}}`, resourceVersionMatch: "NotOlderThan" },
    { resourceVersion: `{rv ${key(kind, name)}}`, resourceVersionMatch: "Exact" },
    { resourceVersion: `{oldrv ${key(kind, name)}}`, resourceVersionMatch: "Exact" },
    { resourceVersion: "{listrv}", resourceVersionMatch: "Exact" },
    { resourceVersionMatch: "Exact" },
    { resourceVersion: "odd" },
  );
  const paging = fc.constantFrom<Record<string, string>>(
    {},
    {},
    { limit: "1" },
    { limit: "2" },
    { limit: "1", continue: "{continue}" },
    { continue: "{continue}" },
  );
  return fc
    .tuple(labelSelector, fieldSelector(kind), versions, paging, acceptList)
    .map(([label, field, version, page, form]) => ({
      method: "GET",
      // A next page is of the newest list, and has no version of its own.
      path: asked(pathOf(kind), {
        labelSelector: selectedIn(kind, label),
        fieldSelector: field,
        ...("continue" in page ? {} : version),
        ...page,
      }),
      ...(form !== null && { accept: form }),
    }));
}

export function watch(kind: Kind, name: string): fc.Arbitrary<Step> {
  const from = fc.constantFrom<Record<string, string>>(
    { resourceVersion: "{rv namespaces/ns}" },
    { resourceVersion: "{rv namespaces/ns}" },
    { resourceVersion: `{oldrv ${key(kind, name)}}` },
    { resourceVersion: "{listrv}" },
    { resourceVersion: "0" },
    {},
    { sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan", allowWatchBookmarks: "true" },
    { sendInitialEvents: "true", resourceVersionMatch: "NotOlderThan" },
    { resourceVersion: "odd" },
  );
  return fc.tuple(from, labelSelector, fieldSelector(kind), accept).map(([start, label, field, form]) => ({
    method: "GET",
    path: asked(pathOf(kind), {
      watch: 1,
      timeoutSeconds: 1,
      ...start,
      labelSelector: selectedIn(kind, label),
      fieldSelector: field,
    }),
    ...(form !== null && { accept: form }),
  }));
}
