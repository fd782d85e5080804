/** LimitRanges: what a container gets where it asks for nothing, and how much or little it may ask for. */
import type { AnyStoredObject } from "../registry/resource.ts";
import type { Admission, AdmissionRequest } from "./admission.ts";
import { totalOf } from "./amounts.ts";
import { brokenLimits } from "./limit-rules.ts";
import { type Amounts, type Container, containersOf, type Pod, podIn } from "./pods.ts";
import { refuse } from "./refuse.ts";

export interface LimitItem {
  type: string;
  min?: Amounts;
  max?: Amounts;
  default?: Amounts;
  defaultRequest?: Amounts;
  maxLimitRequestRatio?: Amounts;
}

const annotation = "kubernetes.io/limit-ranger";

export function limitRanges(): Admission {
  return {
    name: "LimitRanger",
    admit(request) {
      const pod = newPod(request);
      if (pod) for (const limits of limitsFor(request)) fillIn(pod, limits);
    },
    check(request) {
      const pod = newPod(request);
      if (!pod) return;
      for (const limits of limitsFor(request)) checkPod(request, pod, limits);
    },
  };
}

/** Once it is there, its resources are for `resize` to change. */
function newPod(request: AdmissionRequest): Pod | undefined {
  return request.verb === "create" ? podIn(request) : undefined;
}

function limitsFor({ moment, namespace }: AdmissionRequest): LimitItem[][] {
  return [...moment.newestAll("limitranges", namespace)].map(itemsOf);
}

function itemsOf({ spec }: AnyStoredObject): LimitItem[] {
  return (spec as { limits?: LimitItem[] } | undefined)?.limits ?? [];
}

function fillIn(pod: Pod, limits: readonly LimitItem[]): void {
  const ofContainers = limits.filter(({ type }) => type === "Container");
  const requests = Object.assign({}, ...ofContainers.map(({ defaultRequest }) => defaultRequest)) as Amounts;
  const most = Object.assign({}, ...ofContainers.map((item) => item.default)) as Amounts;
  const done = [
    ...(pod.spec?.containers ?? []).flatMap((container) => fillInContainer(container, "container", requests, most)),
    ...(pod.spec?.initContainers ?? []).flatMap((container) =>
      fillInContainer(container, "init container", requests, most),
    ),
  ];
  if (done.length === 0) return;
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    [annotation]: `LimitRanger plugin set: ${done.join("; ")}`,
  };
}

/** Returns what it did, as the annotation tells it. */
function fillInContainer(container: Container, what: string, requests: Amounts, limits: Amounts): string[] {
  const resources = container.resources ?? {};
  container.resources = resources;
  const done: string[] = [];
  for (const [field, defaults, word] of [
    ["requests", requests, "request"],
    ["limits", limits, "limit"],
  ] as const) {
    const missing = Object.keys(defaults)
      .filter((name) => resources[field]?.[name] === undefined)
      .sort();
    if (missing.length === 0) continue;
    resources[field] = {
      ...resources[field],
      ...Object.fromEntries(missing.map((name) => [name, defaults[name] ?? 0])),
    };
    done.push(`${missing.join(", ")} ${word} for ${what} ${container.name}`);
  }
  return done;
}

function checkPod(request: AdmissionRequest, pod: Pod, limits: readonly LimitItem[]): void {
  const problems = limits.flatMap((item) => {
    if (item.type === "Container")
      return containersOf(pod).flatMap(({ resources }) => brokenLimits(item, resources?.requests, resources?.limits));
    if (item.type !== "Pod") return [];
    return brokenLimits(item, asAmounts(totalOf(pod, "requests")), asAmounts(totalOf(pod, "limits")));
  });
  if (problems.length > 0) throw refuse(request, ...problems);
}

function asAmounts(quantities: ReturnType<typeof totalOf>): Amounts {
  return Object.fromEntries([...quantities].map(([name, amount]) => [name, amount.toString()]));
}
