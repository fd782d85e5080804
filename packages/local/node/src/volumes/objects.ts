/** Reads what a pod's variables and files come from. Always the newest: a pod often comes right after its ConfigMap. */
import { isNotFound, parseTime } from "@berg/apimachinery";
import { type Client, type ConfigMap, ConfigMaps, type Pod, type Secret, Secrets, ServiceAccounts } from "@berg/kube";

export interface Token {
  token: string;
  /** Wall time in ms. */
  expiresAt: number;
}

export interface ObjectNames {
  configMaps: ReadonlySet<string>;
  secrets: ReadonlySet<string>;
}

/** The objects of a namespace as they were at one moment. */
export interface Objects {
  configMap(name: string): ConfigMap | undefined;
  secret(name: string): Secret | undefined;
}

export async function readObjects(
  client: Client,
  namespace: string,
  names: ObjectNames,
  signal: AbortSignal,
): Promise<Objects> {
  const [configMaps, secrets] = await Promise.all([
    all(names.configMaps, (name) => client.get(ConfigMaps, namespace, name, { signal })),
    all(names.secrets, (name) => client.get(Secrets, namespace, name, { signal })),
  ]);
  return { configMap: (name) => configMaps.get(name), secret: (name) => secrets.get(name) };
}

async function all<T>(names: ReadonlySet<string>, get: (name: string) => Promise<T>): Promise<Map<string, T>> {
  const found = new Map<string, T>();
  const one = async (name: string) => {
    try {
      found.set(name, await get(name));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };
  await Promise.all([...names].map(one));
  return found;
}

/** A token of the pod's service account that ends with the pod. */
export async function requestToken(
  client: Client,
  pod: Pod,
  wanted: { audience?: string; expirationSeconds?: number },
  signal: AbortSignal,
): Promise<Token> {
  const { namespace = "", name, uid } = pod.metadata;
  const body = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    metadata: {},
    spec: {
      audiences: wanted.audience ? [wanted.audience] : [],
      expirationSeconds: wanted.expirationSeconds ?? 3600,
      boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid },
    },
  };
  const account = pod.spec?.serviceAccountName || "default";
  const answer = await client.createSubresource<{ status: { token: string; expirationTimestamp: string } }>(
    ServiceAccounts,
    namespace,
    account,
    "token",
    body,
    { signal },
  );
  return { token: answer.status.token, expiresAt: parseTime(answer.status.expirationTimestamp) };
}
