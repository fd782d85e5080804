/** A pod's priority is a number that its priority class stands for. Of the classes, one at most is for all other pods. */
import { forbidden } from "../errors/refusals.ts";
import { type PriorityClass, systemPriorityClasses } from "../kinds/scheduling/priority-class.ts";
import type { Admission, AdmissionRequest } from "./admission.ts";
import { podIn, specOf } from "./pods.ts";
import { refuse } from "./refuse.ts";

type Given = Pick<PriorityClass, "value" | "preemptionPolicy"> & { name: string };

const table = "priorityclasses.scheduling.k8s.io";
const none: Given = { name: "", value: 0, preemptionPolicy: "PreemptLowerPriority" };

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
    check(request) {
      if (request.resource.storedAs !== table || request.subresource !== "") return;
      if (request.verb === "delete") checkDeletion(request);
      else if ((request.draft as Partial<PriorityClass> | undefined)?.globalDefault) checkDefault(request);
    },
  };
}

/** As in Kubernetes, whoever deletes all of them deletes these too: then nobody names them. */
function checkDeletion({ resource: { group, resource }, name }: AdmissionRequest): void {
  if (systemPriorityClasses.some(({ metadata }) => metadata.name === name))
    throw forbidden({ group, resource, name }, "this is a system priority class and cannot be deleted");
}

function checkDefault(request: AdmissionRequest): void {
  const name = defaultClass(request)?.metadata.name;
  if (name !== undefined && (request.verb === "create" || name !== request.name))
    throw refuse(request, `PriorityClass ${name} is already marked as default. Only one default can exist`);
}

function classFor(request: AdmissionRequest, name: string): Given {
  if (name === "") return given(defaultClass(request)) ?? none;
  const found = given(all(request).find(({ metadata }) => metadata.name === name));
  if (!found) throw refuse(request, `no PriorityClass with name ${name} was found`);
  return found;
}

/** Of several, which can come of a race, the one that matters least. */
function defaultClass(request: AdmissionRequest): PriorityClass | undefined {
  return all(request)
    .filter(({ globalDefault }) => globalDefault)
    .sort((a, b) => a.value - b.value)[0];
}

function all({ moment }: AdmissionRequest): PriorityClass[] {
  return [...moment.newestAll(table)] as unknown as PriorityClass[];
}

function given(found: PriorityClass | undefined): Given | undefined {
  return found && { name: found.metadata.name, value: found.value, preemptionPolicy: found.preemptionPolicy };
}
