/** What may change about a pod once it is there: next to nothing. */

import { diffJson, jsonEqual } from "@berg/apimachinery";
import { type FieldError, forbidden, invalid, required } from "../../../../errors/field-error.ts";
import { sortedJson } from "../../../../registry/json.ts";
import { own } from "../../../checks/field-rules.ts";
import { between } from "../../../checks/names.ts";
import type { Container, Pod, PodSpec, Toleration } from "../../types.ts";
import { unpaddedImage } from "./containers.ts";
import { anyPod } from "./pod.ts";
import { tolerations } from "./tolerations.ts";

const changeable = [
  "`spec.containers[*].image`",
  "`spec.initContainers[*].image`",
  "`spec.activeDeadlineSeconds`",
  "`spec.tolerations` (only additions to existing tolerations)",
  "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
];
const longestDeadline = 2 ** 31 - 1;

export function changedPod(pod: Pod, old: Pod): FieldError[] {
  const errors = anyPod(pod);
  for (const list of ["containers", "initContainers"] as const) {
    const [own, before] = [pod.spec[list] ?? [], old.spec[list] ?? []];
    if (own.length !== before.length)
      return [...errors, forbidden(`spec.${list}`, "pod updates may not add or remove containers")];
    errors.push(...own.flatMap((container, index) => changedImage(`spec.${list}[${index}]`, container)));
  }
  const deadline = changedDeadline(pod.spec.activeDeadlineSeconds, old.spec.activeDeadlineSeconds);
  if (deadline.isLast) return [...errors, ...deadline.errors];
  return [
    ...errors,
    ...deadline.errors,
    ...changedTolerations(pod.spec.tolerations ?? [], old.spec.tolerations ?? []),
    ...changedGates(pod.spec, old.spec),
    ...changedRest(pod.spec, old.spec),
  ];
}

function changedImage(path: string, container: Container): FieldError[] {
  return [...(container.image ? [] : [required(`${path}.image`)]), ...unpaddedImage(path, container)];
}

function changedDeadline(
  deadline: number | undefined,
  old: number | undefined,
): { errors: FieldError[]; isLast: boolean } {
  const at = "spec.activeDeadlineSeconds";
  if (deadline === undefined) {
    const error = invalid(at, deadline, "must not update from a positive integer to nil value");
    return { errors: old === undefined ? [] : [error], isLast: false };
  }
  if (deadline < 0 || deadline > longestDeadline)
    return { errors: [invalid(at, deadline, between(0, longestDeadline))], isLast: true };
  if (old !== undefined && old < deadline)
    return { errors: [invalid(at, deadline, "must be less than or equal to previous value")], isLast: true };
  return { errors: [], isLast: false };
}

function changedTolerations(list: readonly Toleration[], old: readonly Toleration[]): FieldError[] {
  const keyOf = ({ tolerationSeconds: _, ...rest }: Toleration) => sortedJson(rest);
  const kept = new Set(list.map(keyOf));
  if (!old.every((toleration) => kept.has(keyOf(toleration))))
    return [forbidden("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds")];
  return tolerations("spec.tolerations", list);
}

function changedGates({ schedulingGates: gates = [] }: PodSpec, { schedulingGates: old = [] }: PodSpec): FieldError[] {
  const known = new Set(old.map(({ name }) => name));
  return gates.flatMap(({ name }, index) => {
    if (known.has(name)) return [];
    const text = `only deletion is allowed, but found new scheduling gate '${name}'`;
    return [forbidden(`spec.schedulingGates[${index}].name`, text)];
  });
}

/** All that may not change, in one refusal. Kubernetes shows the Go structs that differ; this shows the fields. */
function changedRest(spec: PodSpec, old: PodSpec): FieldError[] {
  const errors: FieldError[] = [];
  const compared = withWhatMayChange(spec, old);
  if (old.schedulingGates && !jsonEqual(compared.nodeSelector, old.nodeSelector)) {
    errors.push(...narrowedNodes(compared.nodeSelector ?? {}, old.nodeSelector ?? {}));
    delete compared.nodeSelector;
    if (old.nodeSelector) compared.nodeSelector = old.nodeSelector;
  }
  if (jsonEqual(compared, old)) return errors;
  const lines = diffJson(old, compared).map(({ path, op }) => `  ${op} spec${path.replaceAll("/", ".")}`);
  const text = `pod updates may not change fields other than ${changeable.join(",")}\n${lines.join("\n")}\n`;
  return [...errors, forbidden("spec", text)];
}

function withWhatMayChange(spec: PodSpec, old: PodSpec): PodSpec {
  const compared: PodSpec = { ...spec };
  for (const list of ["containers", "initContainers"] as const)
    if (spec[list])
      compared[list] = spec[list].map((container, index) => ({ ...container, ...imageOf(old[list]?.[index]) }));
  for (const field of ["activeDeadlineSeconds", "schedulingGates", "tolerations"] as const) {
    delete compared[field];
    if (old[field] !== undefined) Object.assign(compared, { [field]: old[field] });
  }
  const { terminationGracePeriodSeconds: grace = 0 } = old;
  if (grace < 0 && spec.terminationGracePeriodSeconds === 1) compared.terminationGracePeriodSeconds = grace;
  return compared;
}

function imageOf(container: Container | undefined): { image?: string } {
  return container?.image === undefined ? {} : { image: container.image };
}

/** While a pod is held back, whoever holds it may say more closely where it runs. */
function narrowedNodes(selector: Record<string, string>, old: Record<string, string>): FieldError[] {
  const isKept = Object.entries(old).every(([key, value]) => own(selector, key) === value);
  if (isKept) return [];
  const text = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
  return [invalid("spec.nodeSelector", selector, text)];
}

/** By way of `pods/ephemeralcontainers`: more may come, none may change or go. */
export function changedEphemeralContainers(pod: Pod, old: Pod): FieldError[] {
  const errors = anyPod(pod);
  for (const before of old.spec.ephemeralContainers ?? []) {
    const own = pod.spec.ephemeralContainers?.find(({ name }) => name === before.name);
    const existing = `existing ephemeral containers ${JSON.stringify(before.name)} may not be`;
    if (!own) errors.push(forbidden("spec.ephemeralContainers", `${existing} removed\n`));
    else if (!jsonEqual(own, before)) errors.push(forbidden("spec.ephemeralContainers", `${existing} changed\n`));
  }
  return errors;
}
