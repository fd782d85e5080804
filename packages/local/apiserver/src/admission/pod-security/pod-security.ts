/**
 * Pod Security admission: pods must keep to the policy that the labels of their namespace name
 * (`pod-security.kubernetes.io/enforce: baseline`). Deployments and ReplicaSets that would make other pods get a warning,
 * as does a namespace whose new policy its pods do not keep to. Audit has no effect: there is no audit log.
 */
import { invalid } from "../../errors/refusals.ts";
import type { AnyStoredObject } from "../../registry/resource.ts";
import type { Store } from "../../storage/table.ts";
import type { Admission, AdmissionRequest } from "../admission.ts";
import { refuse } from "../refuse.ts";
import { baseline, type Control } from "./baseline.ts";
import type { Container, PodLike } from "./pod-spec.ts";
import { describePolicy, isStricter, type LevelVersion, policyOf } from "./policy.ts";
import { restricted } from "./restricted.ts";
import { describeViolations, type Violation } from "./violation.ts";

/** All others change the spec of a pod. */
const ignoredSubresources = ["exec", "attach", "binding", "eviction", "log", "portforward", "proxy", "status"];
const podControllers = ["deployments.apps", "replicasets.apps"];
const mostPodsChecked = 3_000;

export function podSecurity(store: Store): Admission {
  const policyIn = (namespace: string) => policyOf(store.table("namespaces").newest(namespace)?.metadata.labels).policy;
  return {
    name: "PodSecurity",
    check(request) {
      const { resource, subresource, namespace, draft, verb } = request;
      if (!draft || (verb !== "create" && verb !== "update")) return;
      if (resource.storedAs === "namespaces") {
        if (subresource === "") checkNamespace(request);
      } else if (resource.storedAs === "pods") {
        if (ignoredSubresources.includes(subresource) || !isSignificant(draft, request.old)) return;
        const { enforce, warn } = policyIn(namespace);
        const violations = violationsOf(draft, enforce);
        if (violations.length > 0)
          throw refuse(request, `violates PodSecurity "${describePolicy(enforce)}": ${describeViolations(violations)}`);
        warnOf(request, draft, warn);
      } else if (podControllers.includes(resource.storedAs) && subresource === "") {
        const { template } = (draft.spec ?? {}) as { template?: PodLike };
        if (template) warnOf(request, template, policyIn(namespace).warn);
      }
    },
  };
}

export function violationsOf(pod: PodLike, { level, minor }: LevelVersion): Violation[] {
  if (level === "privileged") return [];
  const added = level === "restricted" ? restricted.filter((control) => checkOf(control, minor)) : [];
  const overridden = added.flatMap(({ overrides = [] }) => overrides);
  const controls = [...baseline.filter(({ id }) => !overridden.includes(id)), ...added];
  return controls.flatMap((control) => checkOf(control, minor)?.(pod) ?? []);
}

function checkOf({ versions }: Control, minor: number) {
  return versions.findLast(([since]) => since <= minor)?.[1];
}

function warnOf({ warn }: AdmissionRequest, pod: PodLike, level: LevelVersion): void {
  const violations = violationsOf(pod, level);
  if (violations.length > 0)
    warn(`would violate PodSecurity "${describePolicy(level)}": ${describeViolations(violations)}`);
}

/** An update can bring other images and ephemeral containers; whatever else it may change does not matter here. */
function isSignificant(pod: PodLike, old: PodLike | undefined): boolean {
  if (!old) return true;
  for (const list of ["containers", "initContainers"] as const) {
    const [now, before] = [pod.spec?.[list] ?? [], old.spec?.[list] ?? []];
    if (now.length !== before.length || now.some(({ image }, i) => image !== before[i]?.image)) return true;
  }
  const known = new Map((old.spec?.ephemeralContainers ?? []).map(({ name, image }) => [name, image]));
  const isNew = ({ name, image }: Container) => !known.has(name) || known.get(name) !== image;
  return (pod.spec?.ephemeralContainers ?? []).some(isNew);
}

function checkNamespace(request: AdmissionRequest): void {
  const { draft, old, name } = request;
  const { policy, errors } = policyOf(draft?.metadata.labels);
  const before = old && policyOf(old.metadata.labels);
  if (errors.length > 0 && JSON.stringify(errors) !== JSON.stringify(before?.errors))
    throw invalid({ group: "", kind: "Namespace", name }, errors);
  if (!before) return;
  const [now, then] = [policy.enforce, before.policy.enforce];
  const isRelaxed = now.minor === then.minor && !isStricter(now.level, then.level);
  if (now.level !== "privileged" && !isRelaxed) warnOfPods(request, now);
}

function warnOfPods({ moment, name, warn }: AdmissionRequest, level: LevelVersion): void {
  const all = inOrderOfInterest([...moment.newestAll("pods", name)]);
  const checked = all.slice(0, mostPodsChecked);
  const namesByReason = new Map<string, string[]>();
  for (const pod of checked) {
    const reason = violationsOf(pod as PodLike, level)
      .map((violation) => violation.reason)
      .join(", ");
    if (reason !== "") namesByReason.set(reason, [...(namesByReason.get(reason) ?? []), pod.metadata.name]);
  }
  if (checked.length < all.length)
    warn(
      `new PodSecurity enforce level only checked against the first ${checked.length} of ${all.length} existing pods`,
    );
  if (namesByReason.size > 0)
    warn(`existing pods in namespace "${name}" violate the new PodSecurity enforce level "${describePolicy(level)}"`);
  const lines = [...namesByReason].map(([reason, names]) => `${firstOf(names)}: ${reason}`);
  for (const line of lines.sort()) warn(line);
}

/** One pod of each controller first: the others are most likely the same. */
function inOrderOfInterest(pods: AnyStoredObject[]): AnyStoredObject[] {
  const controllers = new Set<string>();
  const [first, rest]: [AnyStoredObject[], AnyStoredObject[]] = [[], []];
  for (const pod of pods) {
    const uid = pod.metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
    (uid !== undefined && controllers.has(uid) ? rest : first).push(pod);
    if (uid !== undefined) controllers.add(uid);
  }
  return [...first, ...rest];
}

function firstOf(names: string[]): string {
  const [first] = names.sort();
  const others = names.length - 1;
  if (others === 0) return `${first}`;
  return `${first} (and ${others} other ${others === 1 ? "pod" : "pods"})`;
}
