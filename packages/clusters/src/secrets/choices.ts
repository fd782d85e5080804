/**
 * Which Secrets are watched for whoever needs one of them. No others come over: a namespace may be full of them, of a
 * megabyte each.
 */
import type { Selection } from "@berg/kube";
import { labels, managedByClusters } from "../vocabulary.ts";

/** Where it is the same for several, it is watched once. */
export type Choice = (namespace: string, name: string) => Selection;

/** Those that we have published in its namespace: there may be very many, and each has our label. */
export const publishedByUs: Choice = (namespace) => ({
  namespace,
  labelSelector: `${labels.managedBy}=${managedByClusters}`,
});

/** It alone: whoever brings a cluster along has made it, and nothing marks it. */
export const itAlone: Choice = (namespace, name) => ({ namespace, fieldSelector: `metadata.name=${name}` });
