import { stringify } from "yaml";

/** Certificates and key are PEM. */
export type KubeconfigContents = {
  /** What its one cluster, user and context are called. */
  name: string;
  server: string;
  ca?: string;
  namespace?: string;
} & ({ token: string } | { cert: string; key: string });

/**
 * The text of a kubeconfig with one context. It holds a secret: write it with mode 0600.
 *
 *     kubeconfigFor({ name: "local", server: "https://127.0.0.1:6443", ca, token })
 */
export function kubeconfigFor(contents: KubeconfigContents): string {
  const { name, server, ca, namespace } = contents;
  const user =
    "token" in contents
      ? { token: contents.token }
      : { "client-certificate-data": base64(contents.cert), "client-key-data": base64(contents.key) };
  const kubeconfig = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster: { server, "certificate-authority-data": ca === undefined ? undefined : base64(ca) } }],
    users: [{ name, user }],
    contexts: [{ name, context: { cluster: name, user: name, namespace } }],
    "current-context": name,
  };
  return stringify(kubeconfig);
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
