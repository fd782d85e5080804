/** Nodes. What they are is written with their status, also when they are created. */

import { type ObjectMeta, parseQuantity } from "@berg/apimachinery";
import { duplicate, type FieldError, forbidden, invalid } from "../../errors/field-error.ts";
import type { Column, ServedResource, Strategy } from "../../registry/resource.ts";
import { labelValueProblems, qualifiedNameProblems } from "../../schema/metadata/names.ts";
import { familyOf, rangeErrors } from "../checks/addresses.ts";
import { each, requiredOneOf } from "../checks/field-rules.ts";
import { ageColumn, nameColumn } from "../columns.ts";
import { served } from "../served.ts";
import { always, object } from "../shapes.ts";
import { toStoredForm } from "../stored-form.ts";
import { validQuantity } from "./pod/rules/resources.ts";
import { taintEffects } from "./pod/rules/tolerations.ts";
import { nodeSpec, nodeStatus } from "./shapes/node.ts";
import { asA, type ResourceList } from "./types.ts";

interface Taint {
  key: string;
  value?: string;
  effect: string;
  timeAdded?: string;
}

interface Node {
  metadata: ObjectMeta;
  spec: {
    podCIDR?: string;
    podCIDRs?: string[];
    providerID?: string;
    unschedulable?: boolean;
    taints?: Taint[];
    configSource?: object;
  };
  status: {
    capacity?: ResourceList;
    allocatable?: ResourceList;
    addresses?: { type: string; address: string }[];
    conditions?: { type: string; status: string }[];
    config?: object;
    nodeInfo: {
      kubeletVersion: string;
      osImage: string;
      kernelVersion: string;
      containerRuntimeVersion: string;
      architecture: string;
    };
  };
}

const schema = object({ spec: always(nodeSpec), status: always(nodeStatus) });

const strategy: Strategy = {
  hasStatus: true,
  bringsStatus: true,
  hasGeneration: false,
  fillIn(draft) {
    toStoredForm(draft, schema);
    const { spec, status } = asA<Node>(draft);
    if (!status.allocatable && status.capacity) status.allocatable = { ...status.capacity };
    // Long gone from Kubernetes; only what was stored then still has them.
    delete spec.configSource;
    delete status.config;
    if (spec.podCIDR && spec.podCIDRs?.[0] !== spec.podCIDR) spec.podCIDRs = [spec.podCIDR];
    else if (spec.podCIDRs?.[0]) spec.podCIDR = spec.podCIDRs[0];
  },
  validate(draft, old, subresource) {
    const node = asA<Node>(draft);
    const errors = [...amounts("capacity", node.status.capacity), ...amounts("allocatable", node.status.allocatable)];
    // The path is Kubernetes' own, though taints are in the spec.
    const taints = subresource === "status" ? [] : taintErrors("metadata.taints", node.spec.taints ?? []);
    return [
      ...taints,
      ...errors,
      ...ranges("spec.podCIDRs", node.spec.podCIDRs ?? []),
      ...(old ? changed(node, asA<Node>(old)) : []),
    ];
  },
};

function amounts(list: "capacity" | "allocatable", resources: ResourceList | undefined): FieldError[] {
  return Object.entries(resources ?? {}).flatMap(([name, text]) =>
    validQuantity(`status.${list}.${name}`, name, parseQuantity(text)),
  );
}

function ranges(path: string, list: readonly string[]): FieldError[] {
  const errors = list.flatMap((range, index) => rangeErrors(`${path}[${index}]`, range));
  const families = new Set(list.map(familyOf));
  if (list.length > families.size)
    errors.push(invalid(path, list, "may specify no more than one CIDR for each IP family"));
  return errors;
}

function taintErrors(path: string, taints: readonly Taint[]): FieldError[] {
  return taints.flatMap((taint, index) => {
    const at = `${path}[${index}]`;
    const { key, value = "", effect } = taint;
    const problems = labelValueProblems(value);
    const errors = each(`${at}.key`, key, qualifiedNameProblems(key));
    if (problems.length > 0) errors.push(invalid(`${at}.value`, value, problems.join(";")));
    errors.push(...requiredOneOf(`${at}.effect`, effect, taintEffects));
    const isRepeated = taints.findIndex((other) => other.key === key && other.effect === effect) < index;
    if (isRepeated) {
      const shown = { Key: key, Value: value, Effect: effect, TimeAdded: taint.timeAdded ?? null };
      const error = duplicate(at, shown);
      errors.push({ ...error, message: `${error.message}: taints must be unique by key and effect pair` });
    }
    return errors;
  });
}

function changed(node: Node, old: Node): FieldError[] {
  const { addresses = [] } = node.status;
  const errors = addresses.flatMap((address, index) => {
    const isRepeated =
      addresses.findIndex((other) => other.type === address.type && other.address === address.address) < index;
    if (!isRepeated) return [];
    return [duplicate(`status.addresses[${index}]`, { Type: address.type, Address: address.address })];
  });
  const ranges = old.spec.podCIDRs ?? [];
  const isMoved = ranges.length > 0 && ranges.join() !== (node.spec.podCIDRs ?? []).join();
  if (isMoved) errors.push(forbidden("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid'));
  if (old.spec.providerID && old.spec.providerID !== node.spec.providerID)
    errors.push(forbidden("spec.providerID", 'node updates may not change providerID except from "" to valid'));
  return errors;
}

function column(name: string, priority: number, description: string, value: (node: Node) => string): Column {
  return { name, type: "string", description, priority, value: (object) => value(asA(object)) };
}

function stateOf({ spec, status }: Node): string {
  const ready = status.conditions?.findLast(({ type }) => type === "Ready");
  const state = ready ? (ready.status === "True" ? "Ready" : "NotReady") : "Unknown";
  return spec.unschedulable ? `${state},SchedulingDisabled` : state;
}

const rolePrefix = "node-role.kubernetes.io/";

function rolesOf({ metadata }: Node): string {
  const roles = Object.entries(metadata.labels ?? {}).flatMap(([key, value]) => {
    const role = key.startsWith(rolePrefix) ? key.slice(rolePrefix.length) : key === "kubernetes.io/role" ? value : "";
    return role === "" ? [] : [role];
  });
  return [...new Set(roles)].toSorted().join(",") || "<none>";
}

function addressOf({ status }: Node, wanted: string): string {
  return status.addresses?.find(({ type }) => type === wanted)?.address ?? "<none>";
}

function kernelOf({ nodeInfo }: Node["status"]): string {
  const { kernelVersion, architecture } = nodeInfo;
  return `${kernelVersion || "<unknown>"}${architecture && ` (${architecture})`}`;
}

export const nodes: ServedResource = served({
  group: "",
  version: "v1",
  resource: "nodes",
  kind: "Node",
  shortNames: ["no"],
  namespaced: false,
  schema,
  strategy,
  selectableFields: { "spec.unschedulable": (object) => `${asA<Node>(object).spec.unschedulable ?? false}` },
  columns: [
    nameColumn,
    column("Status", 0, "The status of the node", stateOf),
    column("Roles", 0, "The roles of the node", rolesOf),
    ageColumn,
    column("Version", 0, "Of its kubelet.", ({ status }) => status.nodeInfo.kubeletVersion),
    column("Internal-IP", 1, "Its address within the cluster.", (node) => addressOf(node, "InternalIP")),
    column("External-IP", 1, "Its address outside of the cluster.", (node) => addressOf(node, "ExternalIP")),
    column("OS-Image", 1, "Its operating system.", ({ status }) => status.nodeInfo.osImage || "<unknown>"),
    column("Kernel-Version", 1, "And its kernel.", ({ status }) => kernelOf(status)),
    column(
      "Container-Runtime",
      1,
      "What runs its containers.",
      ({ status }) => status.nodeInfo.containerRuntimeVersion || "<unknown>",
    ),
  ],
});
