/** What Deployments and ReplicaSets have in common: a number of pods made from one template, found by a selector. */

import { compileLabelSelector, type LabelMatcher, type LabelSelector, ParseError } from "@berg/apimachinery";
import { type FieldError, forbidden, invalid, notSupported, required } from "../../errors/field-error.ts";
import type { Subresource } from "../../registry/resource.ts";
import { labelSelector, labelsAsShown, notNegative, selectorAsShown, unchanged } from "../checks/field-rules.ts";
import { fillInPodSpec } from "./pod/defaults.ts";
import { podTemplate } from "./pod/rules/pod.ts";
import type { PodTemplate } from "./types.ts";

/** How many there should be, for kubectl scale and autoscalers. */
export const scaleSubresource: Subresource = {
  group: "autoscaling",
  version: "v1",
  kind: "Scale",
  verbs: ["get", "patch", "update"],
};

export interface ReplicasSpec {
  replicas?: number;
  minReadySeconds?: number;
  selector?: LabelSelector;
  template: PodTemplate;
}

export interface ReplicasStatus {
  replicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  observedGeneration?: number;
  terminatingReplicas?: number;
}

export function fillInReplicas(spec: ReplicasSpec): void {
  spec.replicas ??= 1;
  fillInPodSpec(spec.template.spec);
}

export function selectorAndTemplate({ selector, template }: ReplicasSpec): FieldError[] {
  const errors = selector ? labelSelector("spec.selector", selector) : [required("spec.selector")];
  const size = Object.keys(selector?.matchLabels ?? {}).length + (selector?.matchExpressions?.length ?? 0);
  // The text is the same for a ReplicaSet.
  if (selector && size === 0)
    errors.push(invalid("spec.selector", selectorAsShown(selector), "empty selector is invalid for deployment"));
  const matcher = compiled(selector);
  if (!matcher) return [...errors, invalid("spec.selector", selectorAsShown(selector), "invalid label selector")];
  const { labels } = template.metadata ?? {};
  // One that selects nothing is a mistake of its own, but fits no template either.
  if (matcher.requirements.length > 0 && !matcher.matches(labels))
    errors.push(
      invalid(
        "spec.template.metadata.labels",
        labels && labelsAsShown(labels),
        "`selector` does not match template `labels`",
      ),
    );
  return [...errors, ...templateOfReplicas("spec.template", template)];
}

/** Pods that are there would no longer be found. */
export function sameSelector(spec: ReplicasSpec, old: ReplicasSpec): FieldError[] {
  return unchanged("spec.selector", selectorAsShown(spec.selector), selectorAsShown(old.selector));
}

function compiled(selector: LabelSelector | undefined): LabelMatcher | undefined {
  try {
    return compileLabelSelector(selector);
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}

function templateOfReplicas(path: string, template: PodTemplate): FieldError[] {
  const errors = podTemplate(path, template);
  const { restartPolicy, activeDeadlineSeconds } = template.spec;
  if (restartPolicy !== "Always") errors.push(notSupported(`${path}.spec.restartPolicy`, restartPolicy, ["Always"]));
  if (activeDeadlineSeconds !== undefined) {
    const text = "activeDeadlineSeconds in ReplicaSet is not Supported";
    errors.push(forbidden(`${path}.spec.activeDeadlineSeconds`, text));
  }
  return errors;
}

/** `counts` in the order in which they are checked; those in `ofAll` cannot be more than there are. */
export function replicaCounts<Status extends ReplicasStatus>(
  status: Status,
  counts: readonly (keyof Status & string)[],
  ofAll: readonly (keyof Status & string)[],
): FieldError[] {
  const count = (name: keyof Status & string) => (status[name] as number | undefined) ?? 0;
  const errors = counts.flatMap((name) => notNegative(`status.${name}`, count(name)));
  for (const name of ofAll)
    if (count(name) > count("replicas"))
      errors.push(invalid(`status.${name}`, count(name), "cannot be greater than status.replicas"));
  if (count("availableReplicas") > count("readyReplicas")) {
    const text = "cannot be greater than readyReplicas";
    errors.push(invalid("status.availableReplicas", count("availableReplicas"), text));
  }
  return errors;
}
