import { setTimeout as delay } from "node:timers/promises";
import { defineResource, isNotFound } from "@berg/apimachinery";
import type { Client } from "@berg/kube";
import type { Crd } from "../../foreign-crds/crd-files.ts";
import { crdOf, standIns } from "./crds.ts";

const CustomResourceDefinitions = defineResource<Crd>({
  group: "apiextensions.k8s.io",
  version: "v1",
  resource: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
});

/** Resolves once every kind can be listed. Any API server will do, also an embedded one. */
export async function installGardenCrds(client: Client): Promise<void> {
  await Promise.all(
    standIns.map(async (standIn) => {
      await client.create(CustomResourceDefinitions, crdOf(standIn));
      const type = defineResource({
        group: standIn.group,
        version: standIn.version,
        resource: standIn.plural,
        kind: standIn.kind,
        namespaced: !standIn.clusterScoped,
      });
      while (!(await isServed(() => client.list(type, { limit: 1 })))) await delay(50);
    }),
  );
}

async function isServed(list: () => Promise<unknown>): Promise<boolean> {
  try {
    await list();
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
