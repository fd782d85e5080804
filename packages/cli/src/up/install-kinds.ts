/** Kinds that are not built in, put there before anybody asks for them. */
import { defineResource, isNotFound, type KubeObject } from "@berg/apimachinery";
import { type Client, sleep, systemClock } from "@berg/kube";
import type { CustomResourceDefinition } from "@berg/resources";

const CustomResourceDefinitions = defineResource<CustomResourceDefinition>({
  group: "apiextensions.k8s.io",
  version: "v1",
  resource: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
});

const pollMs = 20;

/** Those of an older Berg become those of this one. Resolves when all are served. */
export async function installKinds(
  client: Client,
  definitions: readonly CustomResourceDefinition[],
  signal: AbortSignal,
): Promise<void> {
  for (const definition of definitions) {
    await client.apply(CustomResourceDefinitions, definition, { fieldManager: "berg-up", force: true, signal });
  }
  await Promise.all(definitions.map((definition) => untilServed(client, definition, signal)));
}

/** A kind is there a moment before the first request for it is answered. */
async function untilServed(
  client: Client,
  { spec: { group, names, scope, versions } }: CustomResourceDefinition,
  signal: AbortSignal,
): Promise<void> {
  const type = defineResource<KubeObject>({
    group,
    version: versions[0]?.name ?? "",
    resource: names.plural,
    kind: names.kind,
    namespaced: scope === "Namespaced",
  });
  while (!(await isServed(client, type, signal))) await sleep(systemClock, pollMs, signal);
}

async function isServed(client: Client, type: ReturnType<typeof defineResource>, signal: AbortSignal) {
  try {
    await client.list(type, { limit: 1, signal });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
