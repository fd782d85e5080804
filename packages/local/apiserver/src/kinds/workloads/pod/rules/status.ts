/** What the status of a pod may say, and how it may change. */

import { isIPv4 } from "node:net";
import { type FieldError, forbidden, invalid } from "../../../../errors/field-error.ts";
import { qualifiedNameProblems, subdomainProblems } from "../../../../schema/metadata/names.ts";
import { each, ipAddress, unchanged } from "../../../checks/field-rules.ts";
import type { Container, ContainerStatus, Pod, PodCondition, PodSpec, PodStatus } from "../../types.ts";

export function changedStatus(pod: Pod, old: Pod): FieldError[] {
  const { status } = pod;
  const { nominatedNodeName: nominated = "", observedGeneration = 0 } = status;
  const errors = (status.conditions ?? []).flatMap((condition, index) =>
    named(`status.conditions[${index}]`, condition),
  );
  if (nominated !== "" && nominated !== old.status.nominatedNodeName) {
    errors.push(...each("status.nominatedNodeName", nominated, subdomainProblems(nominated)));
    if (old.spec.nodeName)
      errors.push(forbidden("status.nominatedNodeName", "may not be set on pods that are already bound to a node"));
  }
  if (observedGeneration < 0)
    errors.push(invalid("status.observedGeneration", observedGeneration, "must be a non-negative integer"));
  return [
    ...errors,
    ...unchanged("status.qosClass", status.qosClass, old.status.qosClass),
    ...ended("status.containerStatuses", "containerStatuses", pod, old, old.spec.containers ?? []),
    ...ended("status.initContainerStatuses", "initContainerStatuses", pod, old, old.spec.initContainers ?? []),
    ...ended("status.ephemeralContainerStatuses", "ephemeralContainerStatuses", pod, old, []),
    ...addresses("status.podIPs", status.podIPs ?? [], old.status.podIPs ?? []),
    ...hostAddresses(status, old.status),
  ];
}

const ownConditions = ["PodScheduled", "Ready", "Initialized"];

function named(path: string, { type, observedGeneration = 0 }: PodCondition): FieldError[] {
  const errors: FieldError[] = [];
  if (observedGeneration < 0)
    errors.push(invalid(`${path}.observedGeneration`, observedGeneration, "must be a non-negative integer"));
  return ownConditions.includes(type)
    ? errors
    : [...errors, ...each(`${path}.Type`, type, qualifiedNameProblems(type))];
}

/** A container that has ended for good does not come back. */
function ended(
  path: string,
  list: "containerStatuses" | "initContainerStatuses" | "ephemeralContainerStatuses",
  pod: Pod,
  old: Pod,
  containers: readonly Container[],
): FieldError[] {
  const mayAllRestart = list !== "ephemeralContainerStatuses" && restartsAll(old.spec);
  if (mayAllRestart) return [];
  return (old.status[list] ?? []).flatMap((before: ContainerStatus, index) => {
    const exitCode = before.state.terminated?.exitCode;
    const now = pod.status[list]?.find(({ name }) => name === before.name);
    if (exitCode === undefined || !now || now.state.terminated) return [];
    const container = containers.find(({ name }) => name === before.name);
    if (container && restartsAfter(container, old.spec, exitCode)) return [];
    return [forbidden(`${path}[${index}].state`, "may not be transitioned to non-terminated state")];
  });
}

function restartsAll(spec: PodSpec): boolean {
  return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].some(({ restartPolicyRules = [] }) =>
    restartPolicyRules.some(({ action }) => action === "RestartAllContainers"),
  );
}

function restartsAfter(container: Container, spec: PodSpec, exitCode: number): boolean {
  for (const { action, exitCodes } of container.restartPolicyRules ?? []) {
    const isListed = exitCodes?.values?.includes(exitCode) ?? false;
    if (action === "Restart" && exitCodes && isListed === (exitCodes.operator === "In")) return true;
  }
  const policy = container.restartPolicy ?? spec.restartPolicy;
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}

/** One of each family at most. What was there before is let through, however it is written. */
function addresses(path: string, list: readonly { ip: string }[], old: readonly { ip: string }[]): FieldError[] {
  const errors = list.flatMap(({ ip }, index) =>
    old.some((before) => before.ip === ip) ? [] : ipAddress(`${path}[${index}]`, ip),
  );
  const [first, second] = list;
  const isPair = first && second && list.length === 2 && isIPv4(first.ip) !== isIPv4(second.ip);
  if (list.length > 1 && !isPair)
    errors.push(
      // Kubernetes shows its own structs here.
      invalid(
        path,
        list.map(({ ip }) => ({ IP: ip })),
        "may specify no more than one IP for each IP family",
      ),
    );
  return errors;
}

function hostAddresses({ hostIP = "", hostIPs = [] }: PodStatus, old: PodStatus): FieldError[] {
  const first = hostIPs[0]?.ip;
  const errors: FieldError[] = [];
  if (first !== undefined && first !== hostIP)
    errors.push(invalid("status.hostIPs[0].ip", first, "must be equal to `hostIP`"));
  return [...errors, ...addresses("status.hostIPs", hostIPs, old.hostIPs ?? [])];
}
