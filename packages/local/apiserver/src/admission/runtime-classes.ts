/** A pod that names a runtime class gets what that class costs and where it runs; one that is not there is no class. */
import { jsonEqual } from "@berg/apimachinery";
import type { Admission, AdmissionRequest } from "./admission.ts";
import { type Amounts, type Pod, podIn, specOf, type Toleration } from "./pods.ts";
import { refuse } from "./refuse.ts";

interface RuntimeClass {
  overhead?: { podFixed?: Amounts };
  scheduling?: { nodeSelector?: Record<string, string>; tolerations?: Toleration[] };
}

export function runtimeClasses(): Admission {
  return {
    name: "RuntimeClass",
    admit(request) {
      const pod = newPod(request);
      const { overhead, scheduling } = (pod && classOf(pod, request)) ?? {};
      if (!pod) return;
      const spec = specOf(pod);
      if (overhead) {
        if (Object.keys(spec.overhead ?? {}).length > 0) checkOverhead(request, spec.overhead, overhead.podFixed);
        if (overhead.podFixed) spec.overhead = structuredClone(overhead.podFixed);
      }
      if (!scheduling) return;
      const selector = selectorOf(request, spec.nodeSelector, scheduling.nodeSelector);
      if (selector) spec.nodeSelector = selector;
      const tolerations = merged([...(spec.tolerations ?? []), ...structuredClone(scheduling.tolerations ?? [])]);
      if (tolerations.length > 0) spec.tolerations = tolerations;
    },
    check(request) {
      const pod = newPod(request);
      if (!pod) return;
      const { overhead } = specOf(pod);
      const wanted = classOf(pod, request)?.overhead;
      if (wanted) checkOverhead(request, overhead, wanted.podFixed);
      else if (overhead)
        throw refuse(request, "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
    },
  };
}

function newPod(request: AdmissionRequest): Pod | undefined {
  return request.verb === "create" ? podIn(request) : undefined;
}

function classOf({ spec = {} }: Pod, request: AdmissionRequest): RuntimeClass | undefined {
  const { runtimeClassName: name } = spec;
  if (name === undefined) return undefined;
  for (const found of request.moment.newestAll("runtimeclasses.node.k8s.io"))
    if (found.metadata.name === name) return found as RuntimeClass;
  throw refuse(request, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
}

function checkOverhead(request: AdmissionRequest, is: Amounts | undefined, wanted: Amounts | undefined): void {
  if (!jsonEqual(is ?? {}, wanted ?? {}))
    throw refuse(request, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
}

function selectorOf(
  request: AdmissionRequest,
  own: Record<string, string> | undefined,
  wanted: Record<string, string> | undefined,
): Record<string, string> | undefined {
  for (const [key, value] of Object.entries(wanted ?? {})) {
    const other = own && Object.hasOwn(own, key) ? own[key] : value;
    if (other === value) continue;
    const why = `runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${other}`;
    throw refuse(request, `conflict: ${why}`);
  }
  return own || wanted ? { ...own, ...wanted } : undefined;
}

/** One that another covers says nothing more; of two that are the same the first stays. */
function merged(all: readonly Toleration[]): Toleration[] {
  const kept: Toleration[] = [];
  for (const [i, one] of all.entries()) {
    let isCovered = kept.some((other) => covers(other, one));
    for (let j = i + 1; j < all.length && !isCovered; j++) {
      const other = all[j] as Toleration;
      isCovered = covers(other, one) && !jsonEqual(one, other);
    }
    if (!isCovered) kept.push(one);
  }
  return kept;
}

/** Or is the same. A pod may have thousands, which are all compared: what is quickly found to differ comes first. */
function covers(wide: Toleration, narrow: Toleration): boolean {
  const isForAll = !wide.key && wide.operator === "Exists";
  if ((narrow.key ?? "") !== (wide.key ?? "") && !isForAll) return false;
  if (wide.effect && narrow.effect !== wide.effect) return false;
  const { tolerationSeconds: most } = wide;
  if (wide.effect === "NoExecute" && most !== undefined && !((narrow.tolerationSeconds ?? Infinity) <= most))
    return false;
  if (wide.operator === "Exists") return true;
  if ((narrow.value ?? "") !== (wide.value ?? "")) return false;
  return narrow.operator === "Equal" || jsonEqual(wide, narrow);
}
