import { setTimeout as delay } from "node:timers/promises";
import { defineResource, isNotFound } from "@berg/apimachinery";
import type { Client } from "@berg/kube";
import type { CustomResourceDefinition } from "@berg/resources";

export const CustomResourceDefinitions = defineResource<CustomResourceDefinition>({
  group: "apiextensions.k8s.io",
  version: "v1",
  resource: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
});

/** A kind is there a moment before the first request for it is answered. */
export async function untilServed(client: Client, { spec }: CustomResourceDefinition): Promise<void> {
  const { group, names, scope, versions } = spec;
  const type = defineResource({
    group,
    version: versions[0]?.name ?? "",
    resource: names.plural,
    kind: names.kind,
    namespaced: scope === "Namespaced",
  });
  const isServed = () =>
    client.list(type, { limit: 1 }).then(
      () => true,
      (error) => {
        if (isNotFound(error)) return false;
        throw error;
      },
    );
  while (!(await isServed())) await delay(50);
}
