/** What the things of a namespace are called on the host. Derived, so that the next run finds those of this one. */
import { createHash } from "node:crypto";
import { type Labels, namespaceLabel, nodeLabel } from "@berg/local-engine";

/** Linux takes 15 characters. */
export function bridgeName(node: string, namespace: string): string {
  return `berg-${shortHash(`${node}/${namespace}`)}`;
}

/** With the namespace in it, for whoever looks with the engine's own commands. */
export function networkName(node: string, namespace: string): string {
  return `${bridgeName(node, namespace)}-${namespace}`;
}

/** Of nftables. */
export function tableName(node: string): string {
  return `berg-${shortHash(node)}`;
}

export function networkLabels(node: string, namespace?: string): Labels {
  return { [nodeLabel]: node, ...(namespace !== undefined && { [namespaceLabel]: namespace }) };
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 10);
}
