import { access } from "node:fs/promises";
import { isIPv6 } from "node:net";
import { join } from "node:path";
import type { Cluster } from "./cluster.ts";
import { ConfigurationError } from "./configuration-error.ts";
import { readText } from "./files.ts";
import type { User } from "./user.ts";

/** Where Kubernetes mounts a pod's service account. */
export const serviceAccountDirectory = "/var/run/secrets/kubernetes.io/serviceaccount";

/** The pod that this process runs in, as Kubernetes describes it to each; undefined outside of one. */
export async function readPod(
  env: NodeJS.ProcessEnv,
  directory: string,
  signal?: AbortSignal,
): Promise<{ cluster: Cluster; user: User; namespace: string } | undefined> {
  const host = env.KUBERNETES_SERVICE_HOST;
  const port = env.KUBERNETES_SERVICE_PORT;
  const tokenFile = join(directory, "token");
  if (!host || !port || !(await exists(tokenFile))) return undefined;

  const url = /^[\w.:-]+$/.test(host) ? URL.parse(`https://${isIPv6(host) ? `[${host}]` : host}:${port}`) : null;
  if (!url || !/^\d+$/.test(port)) {
    throw new ConfigurationError("KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not the address of a server");
  }
  const namespaceFile = join(directory, "namespace");
  const namespace = (await readText(namespaceFile, "the pod's namespace", signal)).trim();
  if (namespace === "") throw new ConfigurationError(`${namespaceFile} (the pod's namespace) is empty`);
  return {
    cluster: {
      server: url.origin,
      ca: { what: "the pod's certificate authority", file: join(directory, "ca.crt") },
      skipVerify: false,
    },
    user: { kind: "tokenFile", file: tokenFile, what: "the pod's token" },
    namespace,
  };
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== "ENOENT" && error.code !== "ENOTDIR",
  );
}
