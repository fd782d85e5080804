/** The words in which Kubernetes names what violates a policy. */
import { type Container, containersOf, type PodLike, type SecurityContext } from "./pod-spec.ts";

export interface Violation {
  /** `host namespaces` */
  reason: string;
  /** `hostNetwork=true, hostPID=true`; may be empty. */
  detail: string;
}

export function describeViolations(violations: readonly Violation[]): string {
  return violations.map(({ reason, detail }) => (detail === "" ? reason : `${reason} (${detail})`)).join(", ");
}

export function plural(count: number, singular: string, many = `${singular}s`): string {
  return count === 1 ? singular : many;
}

export function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}

/** Each once. */
export function sorted(values: readonly string[]): string[] {
  return [...new Set(values)].sort();
}

/** `container "a"` or `containers "a", "b"` */
export function named(containers: readonly { name: string }[]): string {
  return `${plural(containers.length, "container")} ${quoted(containers.map(({ name }) => name))}`;
}

export function containersWith(pod: PodLike, isBad: (context: SecurityContext, container: Container) => boolean) {
  return containersOf(pod).filter((container) => isBad(container.securityContext ?? {}, container));
}

/** Whoever sets what must not be set: `pod`, containers, or both. Undefined where it is neither. */
export function settersOf(pod: PodLike, isBad: (context: SecurityContext) => boolean): string | undefined {
  const containers = containersWith(pod, isBad);
  const isPodBad = isBad(pod.spec?.securityContext ?? {});
  const setters = [...(isPodBad ? ["pod"] : []), ...(containers.length > 0 ? [named(containers)] : [])];
  return setters.length === 0 ? undefined : setters.join(" and ");
}

/** The values that a field has in the security contexts of the pod and its containers, where they are bad. */
export function badValues(
  pod: PodLike,
  fieldOf: (context: SecurityContext) => string | undefined,
  isGood: (value: string) => boolean,
) {
  const contexts = [
    pod.spec?.securityContext ?? {},
    ...containersOf(pod).map(({ securityContext = {} }) => securityContext),
  ];
  return sorted(contexts.map(fieldOf).filter((value) => value !== undefined && !isGood(value)) as string[]);
}
