/** Service accounts: who pods are to the API server. */
import { builtIn } from "../built-in.ts";
import { ageColumn, nameColumn } from "../columns.ts";
import { bool, kept, list, listMap, object } from "../shapes.ts";
import { localObjectReference, objectReference } from "../workloads/shapes/references.ts";

const mountableSecrets = "kubernetes.io/enforce-mountable-secrets";

const schema = object({
  secrets: listMap(["name"], objectReference, "name"),
  imagePullSecrets: list(localObjectReference),
  automountServiceAccountToken: kept(bool()),
});

export const serviceAccounts = builtIn({
  resource: "serviceaccounts",
  kind: "ServiceAccount",
  shortNames: ["sa"],
  schema,
  columns: [nameColumn, ageColumn],
  subresources: { token: { group: "authentication.k8s.io", version: "v1", kind: "TokenRequest", verbs: ["create"] } },
  strategy: {
    prepare(draft) {
      const account = draft as { secrets?: { name?: string }[] };
      // A secret of another namespace cannot be meant.
      if (account.secrets) account.secrets = account.secrets.map(({ name }) => (name ? { name } : {}));
    },
    warnings(object, old) {
      const isNew = object.metadata.annotations?.[mountableSecrets] !== undefined;
      const wasThere = old?.metadata.annotations?.[mountableSecrets] !== undefined;
      if (!isNew || wasThere) return [];
      return [
        `metadata.annotations[${mountableSecrets}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
      ];
    },
  },
});
