/** What must hold for a pod beyond its spec, and for a template. */

import { type FieldError, forbidden, invalid } from "../../../../errors/field-error.ts";
import { qualifiedNameProblems } from "../../../../schema/metadata/names.ts";
import { each, labels } from "../../../checks/field-rules.ts";
import type { Pod, PodTemplate } from "../../types.ts";
import { unpaddedImage } from "./containers.ts";
import { podSpec } from "./spec.ts";

/** At any time. */
export function anyPod({ metadata, spec }: Pod): FieldError[] {
  const errors = [
    ...podAnnotations("metadata.annotations", metadata.annotations ?? {}, spec.nodeName),
    ...podSpec("spec", spec, { isPod: true, podName: metadata.name }),
  ];
  if (!spec.serviceAccountName)
    for (const [index, { projected }] of (spec.volumes ?? []).entries())
      for (const [number, source] of (projected?.sources ?? []).entries())
        if (source.serviceAccountToken) {
          const at = `spec.volumes[${index}].projected.sources[${number}].serviceAccountToken`;
          errors.push(forbidden(at, "must not be specified when serviceAccountName is not set"));
        }
  for (const list of ["containers", "initContainers"] as const)
    for (const [index, container] of (spec[list] ?? []).entries())
      errors.push(...unpaddedImage(`spec.${list}[${index}]`, container));
  return errors;
}

export function newPod(pod: Pod): FieldError[] {
  const { spec } = pod;
  const errors = anyPod(pod);
  if (spec.ephemeralContainers) errors.push(forbidden("spec.ephemeralContainers", "cannot be set on create"));
  if (spec.nodeName && spec.schedulingGates)
    errors.push(forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared"));
  return errors;
}

export function podTemplate(path: string, { metadata = {}, spec }: PodTemplate): FieldError[] {
  const annotations = metadata.annotations ?? {};
  const errors = [
    ...labels(`${path}.labels`, metadata.labels),
    ...Object.keys(annotations).flatMap((key) =>
      each(`${path}.annotations`, key, qualifiedNameProblems(key.toLowerCase())),
    ),
    ...podAnnotations(`${path}.annotations`, annotations, spec.nodeName),
    ...podSpec(`${path}.spec`, spec, { isPod: false }),
  ];
  if (spec.ephemeralContainers)
    errors.push(forbidden(`${path}.spec.ephemeralContainers`, "ephemeral containers not allowed in pod template"));
  return errors;
}

const mirror = "kubernetes.io/config.mirror";
const deletionCost = "controller.kubernetes.io/pod-deletion-cost";

function podAnnotations(path: string, annotations: Record<string, string>, nodeName: string | undefined): FieldError[] {
  const errors: FieldError[] = [];
  const mirrored = annotations[mirror];
  if (mirrored !== undefined && !nodeName) {
    const text = "must set spec.nodeName if mirror pod annotation is set";
    errors.push(invalid(`${path}[${mirror}]`, mirrored, text));
  }
  const cost = annotations[deletionCost];
  if (cost !== undefined && !isInt32(cost))
    errors.push(invalid(`${path}[${deletionCost}]`, cost, "must be a 32bit integer"));
  return errors;
}

/** Without a plus or leading zeros, so that there is one way to write it. */
function isInt32(text: string): boolean {
  return /^(?:0|-?[1-9]\d{0,9})$/.test(text) && Math.abs(Number(text)) < 2 ** 31;
}
