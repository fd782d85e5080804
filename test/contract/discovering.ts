import type { ResourceType } from "@berg/apimachinery";
import { expect, test } from "vitest";
import { FaultProxy } from "../faults/proxy.ts";
import { CustomResourceDefinitions, eventually, type Given } from "./given.ts";

/** What Berg and its users work with. */
const needed = [
  ..."Namespace Pod Service ConfigMap Secret ServiceAccount Node Event LimitRange ResourceQuota".split(" "),
  ..."Deployment.apps ReplicaSet.apps ControllerRevision.apps PodDisruptionBudget.policy".split(" "),
  ..."NetworkPolicy.networking.k8s.io Ingress.networking.k8s.io EndpointSlice.discovery.k8s.io".split(" "),
  ..."Lease.coordination.k8s.io Event.events.k8s.io CustomResourceDefinition.apiextensions.k8s.io".split(" "),
  ..."Role RoleBinding ClusterRole ClusterRoleBinding".split(" ").map((kind) => `${kind}.rbac.authorization.k8s.io`),
  ..."TokenReview SelfSubjectReview".split(" ").map((kind) => `${kind}.authentication.k8s.io`),
  ..."SubjectAccessReview SelfSubjectAccessReview".split(" ").map((kind) => `${kind}.authorization.k8s.io`),
  "Challenge.berg.norelect.ch",
  "ChallengeInstance.berg.norelect.ch",
];

const text = ({ group, version, resource, kind, namespaced }: ResourceType) =>
  `${group}/${version} ${resource} ${kind} ${namespaced}`;

export function discovering(given: Given): void {
  test("finds kinds of Kubernetes and our own", async () => {
    const { discovery } = given.client;
    expect(await discovery.find({ group: "", kind: "Pod" })).toEqual({
      group: "",
      version: "v1",
      resource: "pods",
      kind: "Pod",
      namespaced: true,
    });
    expect(await discovery.find({ group: "", kind: "Node" })).toMatchObject({ namespaced: false });
    expect(await discovery.find({ group: "berg.norelect.ch", kind: "Challenge" })).toMatchObject({
      resource: "challenges",
    });
    expect(await discovery.find({ group: "apps", kind: "Deployment", version: "v1beta1" })).toBeUndefined();
    expect(await discovery.find({ group: "berg.norelect.ch", kind: "Nothing" })).toBeUndefined();
  });

  test("an old server, asked in the old way, serves the same", async () => {
    const { client, subject } = given;
    // Whoever says nothing of what it accepts is answered as servers did before there were aggregated answers.
    const old: Record<string, object> = {
      "/api": JSON.parse(await client.raw("/api")),
      "/apis": JSON.parse(await client.raw("/apis")),
    };
    await using proxy = await FaultProxy.start(subject.connection);
    proxy.answer = ({ path }) => old[path] && { status: 200, body: old[path] };
    const legacy = await given.connect(proxy.connection).discovery.all();
    const aggregated = await client.discovery.all();
    const kinds = legacy.map(({ group, kind }) => (group === "" ? kind : `${kind}.${group}`));
    expect(kinds).toEqual(expect.arrayContaining(needed));
    expect(proxy.requests.map(({ path }) => path)).toContain("/apis/apps/v1");
    expect(legacy.map(text).sort()).toEqual(aggregated.map(text).sort());
    for (const { group, kind } of aggregated) {
      const preferred = (types: readonly ResourceType[]) =>
        types.find((type) => type.group === group && type.kind === kind);
      expect(preferred(legacy)).toEqual(preferred(aggregated));
    }
  });

  test("finds what was installed since", { timeout: 30_000 }, async () => {
    const { client } = given;
    const group = "later.berg.test";
    expect(await client.discovery.find({ group, kind: "Late" })).toBeUndefined();
    const schema = { openAPIV3Schema: { type: "object" } };
    await client.create(CustomResourceDefinitions, {
      metadata: { name: `lates.${group}` },
      spec: {
        group,
        names: { plural: "lates", kind: "Late" },
        scope: "Namespaced",
        versions: [{ name: "v1", served: true, storage: true, schema }],
      },
    });
    const late = await eventually(async () => {
      const found = await client.discovery.find({ group, kind: "Late" });
      expect(found).toMatchObject({ resource: "lates", namespaced: true });
      return found as ResourceType;
    });
    expect((await eventually(() => client.list(late))).items).toEqual([]);
  });
}
