import { describe, expect, onTestFinished, test } from "vitest";
import { builtInKinds } from "../../kinds/index.ts";
import type { AnyObject } from "../../registry/resource.ts";
import { body, givenRegistry, refusalOf, write } from "../../registry/testing/given.ts";
import { kindOf } from "../policies/testing/given.ts";
import { podSecurity } from "./pod-security.ts";
import { badLabels, cases, deploymentOf, labelled, podOf } from "./testing/cases.ts";

async function given(labels: Record<string, string> = {}) {
  const admissions: ReturnType<typeof podSecurity>[] = [];
  const registry = await givenRegistry(admissions, builtInKinds);
  onTestFinished(() => registry[Symbol.asyncDispose]());
  admissions.push(podSecurity(registry.store));
  const create = (plural: string, object: object) => {
    const kind = kindOf(plural);
    return registry.verbs.create(kind, kind.namespaced ? "ns" : "", body(object), write, registry.caller);
  };
  const patch = (plural: string, name: string, value: object, subresource: "" | "status" = "") => {
    const resource = kindOf(plural);
    const place = { resource, namespace: resource.namespaced ? "ns" : "", name };
    const change = { type: "merge", body: body(value) } as const;
    return registry.verbs.patch(place, subresource, change, write, registry.caller);
  };
  await create("namespaces", { metadata: { name: "ns", labels: labelled(labels) } });
  registry.warnings.length = 0;
  return { ...registry, create, patch };
}

describe("pods", () => {
  const ofPods = cases.map((one, i) => ({ ...one, i })).filter(({ annotations }) => !annotations);
  test.each(ofPods)("case $i: $labels $violation", async (one) => {
    const { create } = await given(one.labels);
    const forbidden = `403 Forbidden: pods "p" is forbidden: violates PodSecurity ${one.violation}`;
    expect(await refusalOf(create("pods", podOf(one)))).toBe(one.violation === undefined ? "not refused" : forbidden);
  });

  const plain = { containers: [{ name: "c", image: "i" }] };
  const privileged = { containers: [{ name: "c", image: "i", securityContext: { privileged: true } }] };

  test("are checked again when an image changes, and left alone otherwise", async () => {
    const { create, patch } = await given();
    await create("pods", podOf({ labels: {}, spec: privileged }));
    await patch("namespaces", "ns", { metadata: { labels: labelled({ enforce: "baseline" }) } });
    await patch("pods", "p", { metadata: { labels: { a: "b" } } });
    await patch("pods", "p", { status: { phase: "Failed" } }, "status");
    const [container] = privileged.containers;
    const changed = { spec: { containers: [{ ...container, image: "j" }] } };
    expect(await refusalOf(patch("pods", "p", changed))).toContain("violates PodSecurity");
  });

  test("of another level than the one that is enforced get a warning", async () => {
    const { create, warnings } = await given({ enforce: "baseline", warn: "restricted", "warn-version": "v1.0" });
    await create("pods", podOf({ labels: {}, spec: plain }));
    expect(warnings).toEqual([
      'would violate PodSecurity "restricted:v1.0": runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true)',
    ]);
  });
});

test("what makes pods gets a warning of what is enforced for them", async () => {
  for (const one of cases) {
    const { create, warnings } = await given(one.labels);
    await create("deployments.apps", deploymentOf(one));
    const wanted = one.violation === undefined ? [] : [`would violate PodSecurity ${one.violation}`];
    expect(warnings.filter((text) => text.includes("PodSecurity"))).toEqual(wanted);
  }
});

describe("namespaces", () => {
  test.each(badLabels)("with labels %j are refused, new or changed", async (labels, causes) => {
    const { create, patch } = await given();
    const why = (name: string) => `422 Invalid: Namespace "${name}" is invalid: [${causes.join(", ")}]`;
    expect(await refusalOf(create("namespaces", { metadata: { name: "a", labels: labelled(labels) } }))).toBe(why("a"));
    expect(await refusalOf(patch("namespaces", "ns", { metadata: { labels: labelled(labels) } }))).toBe(why("ns"));
  });

  test("whose pods do not keep to their new policy get warnings", async () => {
    const { create, patch, warnings } = await given();
    const container = { name: "c", image: "i" };
    const spec = { containers: [{ ...container, securityContext: { privileged: true } }] };
    for (const name of ["c", "b", "a"]) await create("pods", podOf({ labels: {}, spec }, name));
    await create("pods", podOf({ labels: {}, spec: { ...spec, hostNetwork: true } }, "h"));
    await create("pods", podOf({ labels: {}, spec: { containers: [container] } }, "fine"));
    const label = (labels: object) => patch("namespaces", "ns", { metadata: { labels: labelled(labels as never) } });
    await label({ enforce: "baseline" });
    expect(warnings).toEqual([
      'existing pods in namespace "ns" violate the new PodSecurity enforce level "baseline:latest"',
      "a (and 2 other pods): privileged",
      "h: host namespaces, privileged",
    ]);
    warnings.length = 0;
    await label({ enforce: "baseline", audit: "restricted" });
    await label({ enforce: "privileged" });
    expect(warnings).toEqual([]);
  });

  test("with labels that make no sense, from before they were checked, hold pods to the strictest level", async () => {
    const { create, store } = await given();
    const found = store.table("namespaces").newest("ns") as AnyObject;
    const metadata = { ...found.metadata, labels: labelled({ enforce: "none" }) };
    await store.table("namespaces").put({ ...found, metadata } as never);
    const refused = await refusalOf(
      create("pods", podOf({ labels: {}, spec: { containers: [{ name: "c", image: "i" }] } })),
    );
    expect(refused).toContain('violates PodSecurity "restricted:latest"');
  });
});
