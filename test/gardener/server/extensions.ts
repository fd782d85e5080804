/** Gardener takes a Shoot only if somebody is registered for each of its parts. Nobody is really there to do the work. */
import { defineResource, type KubeObject } from "@berg/apimachinery";
import type { Client } from "@berg/kube";

const ControllerRegistrations = defineResource<KubeObject & { spec: object }>({
  group: "core.gardener.cloud",
  version: "v1beta1",
  resource: "controllerregistrations",
  kind: "ControllerRegistration",
  namespaced: false,
});

const providers = ["aws", "azure", "gcp", "openstack", "alicloud"];
const networks = ["calico", "cilium"];
const extensions = ["shoot-networking-filter", "shoot-dns-service", "shoot-cert-service"];

export async function registerExtensions(client: Client): Promise<void> {
  const ofProviders = providers.flatMap((type) =>
    ["Infrastructure", "ControlPlane", "Worker"].map((kind) => ({ kind, type, primary: true })),
  );
  const resources = [
    ...ofProviders,
    ...networks.map((type) => ({ kind: "Network", type, primary: true })),
    { kind: "OperatingSystemConfig", type: "gardenlinux", primary: true },
    ...extensions.map((type) => ({ kind: "Extension", type })),
  ];
  await client.create(ControllerRegistrations, { metadata: { name: "everything" }, spec: { resources } });
}
