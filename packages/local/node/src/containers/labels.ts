/** What the engine keeps for us of each object: whose it is. Everything of ours is found by these, and nothing else. */
import type { Pod } from "@berg/kube";
import type { Labels } from "@berg/local-engine";

export const nodeLabel = "berg.local/node";
const namespaceLabel = "berg.local/namespace";
const podLabel = "berg.local/pod";
const uidLabel = "berg.local/pod-uid";
const containerLabel = "berg.local/container";
const attemptLabel = "berg.local/attempt";
const roleLabel = "berg.local/role";
const sandboxLabel = "berg.local/sandbox";

export type Role = "pause" | "container";

/** What the labels of one engine container say. */
export interface Identity {
  node: string;
  namespace: string;
  pod: string;
  uid: string;
  role: Role;
  /** Empty for the pause container. */
  container: string;
  /** How many of this name came before in this pod: its restart count. */
  attempt: number;
  /** The pause container whose network it is in. Empty for that one itself. */
  sandbox: string;
}

export function makeLabels(
  pod: Pod,
  node: string,
  what: { role: Role; container?: string; attempt: number; sandbox?: string },
): Record<string, string> {
  return {
    [nodeLabel]: node,
    [namespaceLabel]: pod.metadata.namespace ?? "",
    [podLabel]: pod.metadata.name,
    [uidLabel]: pod.metadata.uid ?? "",
    [roleLabel]: what.role,
    [containerLabel]: what.container ?? "",
    [attemptLabel]: String(what.attempt),
    [sandboxLabel]: what.sandbox ?? "",
  };
}

/** By which all containers of one name in a pod are found. */
export function ofContainer(pod: Pod, container: string): Labels {
  return { [uidLabel]: pod.metadata.uid ?? "", [roleLabel]: "container" satisfies Role, [containerLabel]: container };
}

/** Undefined where it is not one of ours, or was tampered with. */
export function readLabels(labels: Labels): Identity | undefined {
  const role = labels[roleLabel];
  const attempt = Number(labels[attemptLabel] ?? Number.NaN);
  const { [nodeLabel]: node, [uidLabel]: uid, [podLabel]: pod } = labels;
  if (!node || !uid || !pod || !Number.isInteger(attempt) || (role !== "pause" && role !== "container"))
    return undefined;
  return {
    node,
    namespace: labels[namespaceLabel] ?? "",
    pod,
    uid,
    role,
    container: labels[containerLabel] ?? "",
    attempt,
    sandbox: labels[sandboxLabel] ?? "",
  };
}

/** `berg_web_default_2c1f…_nginx_0`: unique on the engine, and readable in `podman ps`. */
export function engineName({ pod, namespace, uid, role, container, attempt }: Identity): string {
  const what = role === "pause" ? "pause" : container;
  return ["berg", pod.slice(0, 60), namespace, uid, `${what}`, attempt].join("_");
}
