/** Every namespace has the service account `default`: a pod that names no other runs as it, and is refused without it. */
import { isAlreadyExists, isNamespaceTerminating, isNotFound } from "@berg/apimachinery";
import { type Manager, Namespaces, ServiceAccounts, watchMapped, watchSelf } from "@berg/kube";

const name = "default";

export function addServiceAccountController(manager: Manager): void {
  const namespaces = manager.informer(Namespaces);
  const accounts = manager.informer(ServiceAccounts, { selection: { fieldSelector: `metadata.name=${name}` } });
  manager.addController({
    name: "service-accounts",
    watches: [watchSelf(namespaces), watchMapped(accounts, ({ metadata }) => [metadata.namespace as string])],
    async reconcile(namespace, { signal }) {
      if (namespaces.get(namespace)?.status?.phase !== "Active") return;
      if (accounts.get(`${namespace}/${name}`)) return;
      await manager.client.create(ServiceAccounts, { metadata: { namespace, name } }, { signal }).catch((error) => {
        if (!isAlreadyExists(error) && !isNamespaceTerminating(error) && !isNotFound(error)) throw error;
      });
    },
  });
}
