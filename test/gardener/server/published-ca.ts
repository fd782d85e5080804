/** The CAs of a cluster, where gardenlet puts them and gardener-apiserver looks for them. */
import { defineResource, isNotFound, type KubeObject } from "@berg/apimachinery";
import type { Client } from "@berg/kube";
import type { GardenTarget } from "../target.ts";

type WithData = KubeObject & { data: Record<string, string> };
const ConfigMaps = defineResource<WithData>({
  group: "",
  version: "v1",
  resource: "configmaps",
  kind: "ConfigMap",
  namespaced: true,
});
const InternalSecrets = defineResource<WithData>({
  group: "core.gardener.cloud",
  version: "v1beta1",
  resource: "internalsecrets",
  kind: "InternalSecret",
  namespaced: true,
});

/** Without a target, what was there is taken away. */
export async function publishCa(
  client: Client,
  namespace: string,
  shoot: string,
  target: GardenTarget | undefined,
): Promise<void> {
  const [clusterCa, clientCa] = [`${shoot}.ca-cluster`, `${shoot}.ca-client`];
  if (!target) {
    await ignoringNotFound(client.delete(ConfigMaps, namespace, clusterCa));
    await ignoringNotFound(client.delete(InternalSecrets, namespace, clientCa));
    return;
  }
  const { key, certificate } = target.clientCa;
  const manager = { fieldManager: "gardenlet", force: true };
  await client.apply(
    ConfigMaps,
    { metadata: { name: clusterCa, namespace }, data: { "ca.crt": target.serverCa } },
    manager,
  );
  const data = { "ca.crt": base64(certificate), "ca.key": base64(key) };
  await client.apply(InternalSecrets, { metadata: { name: clientCa, namespace }, data }, manager);
}

async function ignoringNotFound(deleted: Promise<void>): Promise<void> {
  await deleted.catch((error) => {
    if (!isNotFound(error)) throw error;
  });
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
