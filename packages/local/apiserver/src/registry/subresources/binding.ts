/** pods/binding: how a scheduler puts a pod on a node. Once, and for good. */
import { formatTime } from "@berg/apimachinery";
import { type FieldError, formatFieldError, notSupported, required } from "../../errors/field-error.ts";
import { conflict, notFound, refusal } from "../../errors/refusals.ts";
import type { AnyStored } from "../../storage/table.ts";
import { draftOf, isObject, partOf } from "../json.ts";
import { keyOfPlace, type Registry, subjectOf, tableOf } from "../registry.ts";
import type { AnyObject } from "../resource.ts";
import type { Body, Caller, Place, WriteOptions } from "../verbs.ts";
import { checkNameOf, readKind } from "./bodies.ts";
import { checkSent } from "./check-sent.ts";
import { setCondition } from "./conditions.ts";
import { done } from "./success.ts";

export async function bindPod(registry: Registry, place: Place, body: Body, options: WriteOptions, caller: Caller) {
  const binding = readKind(registry, "Binding", ["v1"], body);
  checkNameOf("Binding", binding, place);
  const node = nodeOf(binding);
  const table = tableOf(registry, place.resource);
  const stored = table.newest(keyOfPlace(place));
  if (!stored) throw notFound(subjectOf(place.resource, place.name));
  checkSent(registry, place, "binding", binding, options, caller);
  checkPod(place, stored, binding);
  if (options.isDryRun) return done;

  const pod = draftOf(stored) as AnyObject;
  pod.spec = { ...partOf(pod, "spec"), nodeName: node };
  const { nominatedNodeName: _, ...status } = partOf(pod, "status");
  pod.status = status;
  setCondition(pod, { type: "PodScheduled", status: "True" }, formatTime(registry.clock.now()));
  const { annotations, labels } = binding.metadata;
  if (annotations) pod.metadata.annotations = { ...pod.metadata.annotations, ...annotations };
  if (labels) pod.metadata.labels = { ...pod.metadata.labels, ...labels };
  await table.put(pod);
  return done;
}

function nodeOf(binding: AnyObject): string {
  const target = isObject(binding.target) ? binding.target : {};
  const problems: FieldError[] = [];
  if (target.kind && target.kind !== "Node")
    problems.push(notSupported("target.kind", target.kind, ["Node", "<empty>"]));
  if (typeof target.name !== "string" || target.name === "") problems.push(required("target.name"));
  if (problems.length === 0) return target.name as string;
  const texts = problems.map(formatFieldError);
  throw refusal(500, "", texts.length === 1 ? (texts[0] as string) : `[${texts.join(", ")}]`);
}

function checkPod({ name }: Place, pod: AnyStored, { metadata }: AnyObject): void {
  const refuse = (why: string) => conflict({ group: "", resource: "pods/binding", name }, why);
  const differs = (field: "uid" | "resourceVersion", shown: string) =>
    metadata[field] && metadata[field] !== pod.metadata[field]
      ? `Precondition failed: ${shown} in precondition: ${metadata[field]}, ${shown} in object meta: ${pod.metadata[field]}`
      : undefined;
  const other = differs("uid", "UID") ?? differs("resourceVersion", "ResourceVersion");
  if (other !== undefined) throw conflict({ group: "", resource: "pods", name }, other);
  const { nodeName, schedulingGates } = partOf(pod as AnyObject, "spec");
  if (pod.metadata.deletionTimestamp !== undefined)
    throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  if (nodeName) throw refuse(`pod ${name} is already assigned to node ${JSON.stringify(nodeName)}`);
  if (Array.isArray(schedulingGates) && schedulingGates.length > 0)
    throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);
}
