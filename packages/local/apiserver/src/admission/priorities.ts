/** A pod's priority is a number that its priority class stands for. */
import type { AnyStoredObject } from "../registry/resource.ts";
import type { Admission, AdmissionRequest } from "./admission.ts";
import { podIn, specOf } from "./pods.ts";
import { refuse } from "./refuse.ts";

interface PriorityClass {
  name: string;
  value: number;
  preemptionPolicy: string;
  globalDefault?: boolean;
}

const lower = "PreemptLowerPriority";
const systemClasses: PriorityClass[] = [
  { name: "system-cluster-critical", value: 2_000_000_000, preemptionPolicy: lower },
  { name: "system-node-critical", value: 2_000_001_000, preemptionPolicy: lower },
];
const none: PriorityClass = { name: "", value: 0, preemptionPolicy: lower };

export function priorities(): Admission {
  return {
    name: "Priority",
    admit(request) {
      const pod = podIn(request);
      if (!pod) return;
      const spec = specOf(pod);
      if (request.old) {
        const before = (request.old as { spec?: typeof spec }).spec ?? {};
        if (spec.priority === undefined && before.priority !== undefined) spec.priority = before.priority;
        if (spec.preemptionPolicy === undefined && before.preemptionPolicy !== undefined)
          spec.preemptionPolicy = before.preemptionPolicy;
        return;
      }
      const { name, value, preemptionPolicy } = classFor(request, spec.priorityClassName ?? "");
      if (spec.priority !== undefined && spec.priority !== value)
        throw refuse(
          request,
          `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
        );
      if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy)
        throw refuse(
          request,
          `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${preemptionPolicy} from the given PriorityClass name`,
        );
      if (name) spec.priorityClassName = name;
      spec.priority = value;
      spec.preemptionPolicy = preemptionPolicy;
    },
  };
}

function classFor(request: AdmissionRequest, name: string): PriorityClass {
  const known = [...[...request.moment.newestAll("priorityclasses.scheduling.k8s.io")].map(asClass), ...systemClasses];
  if (name === "") {
    const defaults = known.filter(({ globalDefault }) => globalDefault).sort((a, b) => a.value - b.value);
    return defaults[0] ?? none;
  }
  const found = known.find((other) => other.name === name);
  if (!found) throw refuse(request, `no PriorityClass with name ${name} was found`);
  return found;
}

function asClass(object: AnyStoredObject): PriorityClass {
  const { value, preemptionPolicy, globalDefault } = object as unknown as Partial<PriorityClass>;
  return {
    name: object.metadata.name,
    value: value ?? 0,
    preemptionPolicy: preemptionPolicy ?? lower,
    globalDefault: globalDefault ?? false,
  };
}
