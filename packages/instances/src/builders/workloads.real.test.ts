/** What the builders make is taken by a real server as it is, and pods come of it. */
import type { KubeObject, Stored } from "@berg/apimachinery";
import { type Client, createClient, Deployments, isAsWanted, Pods } from "@berg/kube";
import { fieldManagers, labels } from "@berg/resources";
import { type ControlPlane, missingControlPlane, startControlPlane } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Blueprint, Child } from "./blueprint.ts";
import { deploymentFor } from "./deployment.ts";
import { endpointEnv } from "./endpoints.ts";
import { flagObjects } from "./flag-objects.ts";
import { instanceNamespaceName } from "./names.ts";
import { namespaceChild } from "./namespace.ts";
import { blueprintOf, containerOf } from "./testing/blueprints.ts";
import { workloadCases } from "./testing/workload-cases.ts";
import { workloads } from "./workloads.ts";

let owners = 0;

/** The same for an owner of its own, so that every test has its namespace. */
function forNewOwner(blueprint: Blueprint): Blueprint {
  const ownerId = `0191e7a4-5f0c-7b3e-9d2a-${String(owners++).padStart(12, "0")}`;
  return { ...blueprint, instance: { ...blueprint.instance, ownerId } };
}

describe.skipIf(await missingControlPlane())("on a real server", () => {
  let controlPlane: ControlPlane;
  let client: Client;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ scheduler: false });
    client = createClient({ connection: controlPlane.connection });
    for (const name of ["gvisor", "kata"]) {
      const runtimeClass = { apiVersion: "node.k8s.io/v1", kind: "RuntimeClass", metadata: { name }, handler: "runsc" };
      await controlPlane.kubectl(["create", "-f", "-"], { input: JSON.stringify(runtimeClass) });
    }
  });

  afterAll(async () => {
    await client?.close();
    await controlPlane?.stop();
  });

  const fieldManager = fieldManagers.controller;
  const create = ({ type, manifest }: Child) =>
    client.create(type, manifest, { fieldManager, fieldValidation: "Strict" });
  const apply = ({ type, manifest }: Child) => client.apply(type, manifest, { fieldManager, force: true });
  const podsOf = async (namespace: string) => (await client.list(Pods, { namespace })).items;

  test.each(Object.entries(workloadCases))(
    "%s is stored as it was sent, and pods come of it",
    async (name, example) => {
      const blueprint = forNewOwner(example);
      const namespace = instanceNamespaceName(blueprint.instance.ownerId);
      const { metadata } = await create(namespaceChild(blueprint));
      const level = name === "capabilities-beyond-baseline" ? "privileged" : "baseline";
      expect(metadata.labels).toMatchObject({ "pod-security.kubernetes.io/enforce": level });
      const children = [...flagObjects(blueprint), ...workloads(blueprint, endpointEnv(blueprint))];

      for (const child of children) {
        const stored = await create(child);
        expect(stored).toMatchObject(child.manifest);
        expect(isAsWanted(child.manifest, stored as Stored<KubeObject>)).toBe(true);
        const applied = await apply(child);
        expect(applied.metadata.generation).toBe(stored.metadata.generation);
      }

      const hostnames = blueprint.workload.containers.map(({ hostname }) => hostname).sort();
      const running = async () =>
        (await podsOf(namespace)).map((pod) => pod.metadata.labels?.[labels.container]).sort();
      await expect.poll(running, { timeout: 20_000 }).toEqual(hostnames);
    },
  );

  test("a Deployment that somebody made to be recreated can be put back", async () => {
    const blueprint = forNewOwner(blueprintOf());
    const namespace = instanceNamespaceName(blueprint.instance.ownerId);
    const child = deploymentFor(blueprint, containerOf("web"), []);
    await create(namespaceChild(blueprint));
    await create(child);
    const edit = { spec: { strategy: { type: "Recreate", rollingUpdate: null } } };
    const edited = await client.patch(Deployments, namespace, "web", { type: "merge", body: edit });
    expect(isAsWanted(child.manifest, edited)).toBe(false);
    expect(isAsWanted(child.manifest, await apply(child))).toBe(true);
  });

  test("a pod that is replaced needs no room for a second one", async () => {
    const blueprint = forNewOwner(blueprintOf());
    const namespace = instanceNamespaceName(blueprint.instance.ownerId);
    const names = async () => (await podsOf(namespace)).map(({ metadata }) => metadata.name);
    await create(namespaceChild(blueprint));
    await controlPlane.kubectl(["create", "quota", "one", "--hard=pods=1", "-n", namespace]);
    await create(deploymentFor(blueprint, containerOf("web"), []));
    await expect.poll(names, { timeout: 20_000 }).toHaveLength(1);
    const before = await names();

    await apply(deploymentFor(blueprint, containerOf("web", [], { image: "registry.example.com/web:2" }), []));
    const replaced = async () => (await names()).filter((name) => !before.includes(name));
    await expect.poll(replaced, { timeout: 60_000 }).toHaveLength(1);
    expect(await names()).toHaveLength(1);
  });
});
