/** Every namespace has the ConfigMap `kube-root-ca.crt`, by which its pods know the API server. */
import { isNamespaceTerminating, isNotFound, jsonEqual, type Stored } from "@berg/apimachinery";
import { type ConfigMap, ConfigMaps, type Manager, Namespaces, watchMapped, watchSelf } from "@berg/kube";

const name = "kube-root-ca.crt";
const description = "kubernetes.io/description";
const text =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

/** `rootCa`: the certificates, as PEM. */
export function addRootCaController(manager: Manager, { rootCa }: { rootCa: string }): void {
  const data = { "ca.crt": rootCa };
  const namespaces = manager.informer(Namespaces);
  const maps = manager.informer(ConfigMaps, { selection: { fieldSelector: `metadata.name=${name}` } });
  manager.addController({
    name: "root-ca",
    watches: [watchSelf(namespaces), watchMapped(maps, ({ metadata }) => [metadata.namespace as string])],
    async reconcile(namespace, { signal }) {
      if (namespaces.get(namespace)?.status?.phase !== "Active") return;
      const found = maps.get(`${namespace}/${name}`);
      if (!found) {
        const metadata = { namespace, name, annotations: { [description]: text } };
        await manager.client.create(ConfigMaps, { metadata, data }, { signal }).catch((error) => {
          if (!isNamespaceTerminating(error) && !isNotFound(error)) throw error;
        });
      } else if (!isAsWanted(found, data)) {
        const annotations = { ...found.metadata.annotations, [description]: text };
        await manager.client.update(
          ConfigMaps,
          { ...found, metadata: { ...found.metadata, annotations }, data },
          { signal },
        );
      }
    },
  });
}

/** Whatever the description says, as long as there is one: people may put it in words of their own. */
function isAsWanted(found: Stored<ConfigMap>, data: Record<string, string>): boolean {
  return jsonEqual(found.data, data) && Boolean(found.metadata.annotations?.[description]);
}
