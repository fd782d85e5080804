/** Every pod runs as a service account, which must be there, and finds a token of it where programs look for one. */
import { generatedName } from "../registry/names.ts";
import type { Store } from "../storage/table.ts";
import type { Admission, AdmissionRequest } from "./admission.ts";
import { type Container, mirrorAnnotation, type Pod, type PodSpec, podIn, specOf } from "./pods.ts";
import { refuse } from "./refuse.ts";

interface ServiceAccount {
  automountServiceAccountToken?: boolean;
  imagePullSecrets?: { name?: string }[];
}

const volumePrefix = "kube-api-access-";
const mountPath = "/var/run/secrets/kubernetes.io/serviceaccount";

export function serviceAccounts(store: Store): Admission {
  return {
    name: "ServiceAccount",
    admit(request) {
      const pod = request.verb === "create" ? podIn(request) : undefined;
      if (!pod) return;
      const spec = specOf(pod);
      if (pod.metadata.annotations?.[mirrorAnnotation] !== undefined) {
        if (spec.serviceAccountName) throw refuse(request, "a mirror pod may not reference service accounts");
        return;
      }
      spec.serviceAccountName ||= "default";
      // The name of before serviceAccountName, kept for whoever still reads it.
      spec.serviceAccount = spec.serviceAccountName;
      const account = find(store, request, spec.serviceAccountName);
      if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) mountToken(pod, request);
      if (!spec.imagePullSecrets?.length && account.imagePullSecrets?.length)
        spec.imagePullSecrets = account.imagePullSecrets.map(({ name }) => (name === undefined ? {} : { name }));
    },
  };
}

function find(store: Store, request: AdmissionRequest, name: string): ServiceAccount {
  const { namespace } = request;
  const account = store.table("serviceaccounts").newest(`${namespace}/${name}`);
  if (account) return account as ServiceAccount;
  const why = `error looking up service account ${namespace}/${name}: serviceaccount ${JSON.stringify(name)} not found`;
  throw refuse(request, why);
}

function mountToken(pod: Pod, { moment }: AdmissionRequest): void {
  const spec = specOf(pod);
  const existing = spec.volumes?.find(({ name }) => name.startsWith(volumePrefix));
  const name = existing?.name ?? generatedName(volumePrefix, moment.random);
  const mounted = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].filter(isWithoutToken);
  for (const container of mounted)
    container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath }];
  if (!existing && mounted.length > 0) spec.volumes = [...(spec.volumes ?? []), tokenVolume(name)];
}

function isWithoutToken({ volumeMounts = [] }: Container): boolean {
  return !volumeMounts.some((mount) => mount.mountPath === mountPath);
}

function tokenVolume(name: string): NonNullable<PodSpec["volumes"]>[number] {
  const projected = {
    sources: [
      { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
      { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
      {
        downwardAPI: {
          items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
        },
      },
    ],
    defaultMode: 420,
  };
  return { name, projected } as { name: string };
}
