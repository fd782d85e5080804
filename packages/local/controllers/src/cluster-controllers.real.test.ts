/** All of them in one process, as the embedded control plane runs them. */
import { isNotFound } from "@berg/apimachinery";
import {
  ConfigMaps,
  Namespaces,
  PodDisruptionBudgets,
  Pods,
  ResourceQuotas,
  Secrets,
  ServiceAccounts,
} from "@berg/kube";
import { missingControlPlane, startControlPlane } from "@berg/test";
import { describe, expect, test } from "vitest";
import { addClusterControllers } from "./cluster-controllers.ts";
import { eventually } from "./testing/eventually.ts";
import { runControllers } from "./testing/run-controllers.ts";

describe.skipIf(await missingControlPlane())("the controllers of a cluster", () => {
  test("make a namespace usable, clean up in it, let it go, and stop when told", async () => {
    await using plane = await startControlPlane({ controllerManager: false, scheduler: false });
    const running = await runControllers(plane.connection, (manager) =>
      addClusterControllers(manager, { rootCa: "none" }),
    );
    const { client } = running;
    const namespace = "whole";
    const orUndefined = (error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    };
    await client.create(Namespaces, { metadata: { name: namespace } });
    await eventually("there is an account", () => client.get(ServiceAccounts, namespace, "default").catch(orUndefined));
    await eventually("there is a certificate", () =>
      client.get(ConfigMaps, namespace, "kube-root-ca.crt").catch(orUndefined),
    );
    await client.create(ResourceQuotas, {
      metadata: { namespace, name: "one" },
      spec: { hard: { pods: "9", secrets: "9" } },
    });
    await client.create(PodDisruptionBudgets, {
      metadata: { namespace, name: "one" },
      spec: { minAvailable: 1, selector: { matchLabels: { app: "web" } } },
    });
    // The server lets no pod in before the quota is counted.
    const spec = { containers: [{ name: "one", image: "none" }] };
    const metadata = { namespace, name: "one", labels: { app: "web" } };
    const pod = await eventually("the pod is let in", () =>
      client.create(Pods, { metadata, spec }).catch(() => undefined),
    );
    const { uid } = pod.metadata;
    const ownerReferences = [{ apiVersion: "v1", kind: "Pod", name: "one", uid }];
    await client.create(Secrets, { metadata: { namespace, name: "of-pod", ownerReferences } });
    const used = async () => (await client.get(ResourceQuotas, namespace, "one")).status?.used;
    await eventually(
      "the quota counts both",
      async () => JSON.stringify(await used()) === '{"pods":"1","secrets":"1"}',
    );
    await eventually("the budget counts", async () => {
      const { status } = await client.get(PodDisruptionBudgets, namespace, "one");
      return status?.expectedPods === 1;
    });
    await client.delete(Pods, namespace, "one", { gracePeriodSeconds: 0 });
    await eventually(
      "the secret goes with the pod",
      async () => !(await client.get(Secrets, namespace, "of-pod").catch(orUndefined)),
    );
    await eventually(
      "the quota counts none",
      async () => JSON.stringify(await used()) === '{"pods":"0","secrets":"0"}',
    );
    await client.delete(Namespaces, "", namespace);
    await eventually(
      "the namespace goes",
      async () => !(await client.get(Namespaces, "", namespace).catch(orUndefined)),
    );
    expect((await client.list(ServiceAccounts, { namespace })).items).toEqual([]);
    await running[Symbol.asyncDispose]();
  });
});
