/** Groups of the Kubernetes community: who defines a kind in one says where that was agreed, or that it was not. */
import { parseUrl } from "../schema/cel/library/urls.ts";

const annotation = "api-approved.kubernetes.io";
const more = "see https://github.com/kubernetes/enhancements/pull/1111";

export interface Approval {
  reason: "ApprovedAnnotation" | "UnapprovedAnnotation" | "MissingAnnotation" | "InvalidAnnotation";
  message: string;
  /** What the annotation says. */
  text: string;
}

export const approvalField = `metadata.annotations[${annotation}]`;

/** Undefined for any other group. */
export function approvalOf(group: string, annotations: Record<string, string> = {}): Approval | undefined {
  if (!/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group)) return undefined;
  const text = annotations[annotation] ?? "";
  const needed = `protected groups must have approval annotation "${annotation}"`;
  if (text === "") return { text, reason: "MissingAnnotation", message: `${needed}, ${more}` };
  if (text.startsWith("unapproved")) {
    return { text, reason: "UnapprovedAnnotation", message: `not approved: ${JSON.stringify(text)}` };
  }
  const url = parseUrl(text);
  if (url?.host && url.scheme) return { text, reason: "ApprovedAnnotation", message: `approved in ${text}` };
  const message = `${needed} with either a URL or a reason starting with "unapproved", ${more}`;
  return { text, reason: "InvalidAnnotation", message };
}
