/** What the objects of a KubeconfigRequest are called in a target cluster. Names come from its UID: a retry finds them. */
import { createHash } from "node:crypto";
import type { KubeObject, Stored } from "@berg/apimachinery";
import type { KubeconfigRequest } from "@berg/resources";
import { accessNamespace, labels, managedByClusters } from "../vocabulary.ts";

export type Request = Stored<KubeconfigRequest>;

/** Enough that no two requests share one. */
const hashLength = 16;
const longestName = 253;
const secretSuffix = "-kubeconfig";

/** The beginning of the SHA-256 of a text, in hexadecimal. */
export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, hashLength);
}

/** Of the service account, and of its roles and bindings. */
export function accessName({ metadata }: Request): string {
  return `kc-${shortHash(metadata.uid)}`;
}

/** As `status.serviceAccount` has it. */
export function serviceAccountOf(request: Request): string {
  return `${accessNamespace}/${accessName(request)}`;
}

/** The Secret that the tokens of one epoch live and die with. */
export function anchorName(request: Request, epoch: number): string {
  return `${accessName(request)}-${epoch}`;
}

/** The epoch in the name of an anchor of this request; undefined where it is none. */
export function epochOf(request: Request, name: string): number | undefined {
  const prefix = `${accessName(request)}-`;
  const digits = name.startsWith(prefix) ? name.slice(prefix.length) : "";
  return readEpoch(digits);
}

/** Undefined where it is none, or more than a number can count on from. */
export function readEpoch(digits: string): number | undefined {
  return /^[1-9][0-9]{0,14}$/.test(digits) ? Number(digits) : undefined;
}

/** The Secret beside the request that holds the kubeconfig. */
export function secretNameOf({ metadata: { name } }: Request): string {
  if (name.length + secretSuffix.length <= longestName) return `${name}${secretSuffix}`;
  const end = `-${shortHash(name)}${secretSuffix}`;
  return `${name.slice(0, longestName - end.length).replace(/[.-]+$/, "")}${end}`;
}

export function marksOf({ metadata }: Request): Record<string, string> {
  return { [labels.managedBy]: managedByClusters, [labels.requestUid]: metadata.uid };
}

export function selectorOf({ metadata }: Request): string {
  return `${labels.managedBy}=${managedByClusters},${labels.requestUid}=${metadata.uid}`;
}

/** Whether it was made for this request. What was not is neither changed nor deleted. */
export function isOf({ metadata }: Request, object: KubeObject): boolean {
  const found = object.metadata.labels;
  return found?.[labels.managedBy] === managedByClusters && found[labels.requestUid] === metadata.uid;
}
