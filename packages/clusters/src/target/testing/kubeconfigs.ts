/** Kubeconfigs for tests: a good one, to be spoilt. */
import { makeCa } from "@berg/kube/testing/certificates";
import { stringify } from "yaml";

const ca = await makeCa("target-ca");
const { cert, key } = await ca.issue("admin");

export const testCa = ca.ca;
/** It must never be read anywhere. */
export const canary = "cAnArY-4711";
export const testPair = { cert, key };

export interface Parts {
  server?: string;
  cluster?: object;
  user?: object;
  context?: object;
  root?: object;
}

export const base64 = (text: string) => Buffer.from(text).toString("base64");
export const pairData = { "client-certificate-data": base64(cert), "client-key-data": base64(key) };

/** Of one context, with a token. */
export function kubeconfigObject({ server = "https://target.example:6443", ...parts }: Parts = {}) {
  const cluster = { server, "certificate-authority-data": base64(ca.ca), ...parts.cluster };
  return {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "one",
    clusters: [{ name: "one", cluster }],
    users: [{ name: "admin", user: parts.user ?? { token: canary } }],
    contexts: [{ name: "one", context: { cluster: "one", user: "admin", ...parts.context } }],
    ...parts.root,
  };
}

export function kubeconfigText(parts: Parts = {}): string {
  return stringify(kubeconfigObject(parts));
}
