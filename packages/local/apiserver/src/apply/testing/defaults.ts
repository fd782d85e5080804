/** What the server fills in, as far as the kinds of the tests go. In the server itself this is done elsewhere. */
import type { AnyObject } from "../../registry/resource.ts";
import type { TrackedKind } from "../tracked-kind.ts";
import { isList, isObject, type JsonObject } from "../values.ts";

type Draft = Record<string, unknown>;

const podSpecDefaults = {
  dnsPolicy: "ClusterFirst",
  restartPolicy: "Always",
  schedulerName: "default-scheduler",
  securityContext: {},
  terminationGracePeriodSeconds: 30,
};
const containerDefaults = {
  imagePullPolicy: "Always",
  resources: {},
  terminationMessagePath: "/dev/termination-log",
  terminationMessagePolicy: "File",
};
const deploymentDefaults = { progressDeadlineSeconds: 600, replicas: 1, revisionHistoryLimit: 10 };
/** Go shows them though they are empty, as where the one who owned them takes them away. */
const conditionShown = { type: "", status: "", lastTransitionTime: null, lastUpdateTime: null };
const serviceDefaults = { internalTrafficPolicy: "Cluster", sessionAffinity: "None", type: "ClusterIP" };

export function withDefaults(kind: string, object: JsonObject): JsonObject {
  // What is a struct in Go, as all metadata is, has no nulls, and nothing empty but what is a struct itself.
  const metadata = tidied(object.metadata, ["metadata"]);
  // Of a custom object that goes for managedFields too: an empty list, which resets others, is not seen.
  if (kind === "Widget" && isList(metadata.managedFields) && metadata.managedFields.length === 0) {
    delete (metadata as Draft).managedFields;
  }
  const draft = structuredClone(kind === "Widget" ? { ...object, metadata } : tidied(object)) as Draft;
  if (kind === "Service" || kind === "Deployment") fill(draft, { spec: {}, status: {} });
  const spec = draft.spec as Draft | undefined;
  if (spec && kind === "Deployment") fillDeployment(spec);
  const status = draft.status as Draft | undefined;
  if (status && kind === "Deployment")
    for (const condition of items(status.conditions)) fill(condition, conditionShown);
  if (spec && kind === "Service") {
    fill(spec, serviceDefaults);
    for (const port of items(spec.ports)) fill(port, { protocol: "TCP", targetPort: port.port });
  }
  if (spec && kind === "Widget") for (const port of items(spec.ports)) fill(port, { protocol: "TCP" });
  return draft;
}

/** What comes of the object, after the server has put back what is not the client's to change, and decided the rest. */
export function asStored(
  { kind, strategy }: TrackedKind,
  subresource: string,
  object: AnyObject,
  live: AnyObject | undefined,
  answer: JsonObject,
): AnyObject {
  if (!strategy.hasStatus) return object;
  if (subresource === "status" && live) {
    const { status, ...others } = live;
    if (kind === "Widget")
      return { ...others, ...(object.status !== undefined && { status: object.status }) } as AnyObject;
    const { labels } = live.metadata;
    const { labels: _, ...metadata } = object.metadata;
    return { ...object, spec: live.spec, metadata: { ...metadata, ...(labels && { labels }) } };
  }
  const { status: _, ...stored } = object;
  const status = live ? live.status : answer.status;
  const spec = kind === "Service" ? { ...decided(answer), ...(object.spec as object) } : object.spec;
  return { ...stored, ...(spec !== undefined && { spec }), ...(status !== undefined && { status }) } as AnyObject;
}

function decided(answer: JsonObject): JsonObject {
  const { clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy } = (answer.spec ?? {}) as JsonObject;
  return { clusterIP, clusterIPs, ipFamilies, ipFamilyPolicy };
}

function fillDeployment(spec: Draft): void {
  fill(spec, { ...deploymentDefaults, strategy: {} });
  const strategy = spec.strategy as Draft;
  fill(strategy, { type: "RollingUpdate" });
  if (strategy.type === "RollingUpdate") {
    fill(strategy, { rollingUpdate: {} });
    fill(strategy.rollingUpdate as Draft, { maxSurge: "25%", maxUnavailable: "25%" });
  }
  fill(spec, { template: {} });
  const template = spec.template as { spec: Draft };
  fill(template, { metadata: {}, spec: {} });
  fill(template.spec, podSpecDefaults);
  for (const container of items(template.spec.containers)) {
    fill(container, containerDefaults);
    for (const port of items(container.ports)) fill(port, { protocol: "TCP" });
  }
}

function fill(draft: Draft, defaults: JsonObject): void {
  for (const [key, value] of Object.entries(defaults)) draft[key] ??= structuredClone(value);
}

function items(list: unknown): Draft[] {
  return isList(list) ? (list as Draft[]) : [];
}

const structs = new Set(["spec", "status", "metadata", "template", "strategy", "resources", "loadBalancer"]);
const pointers = new Set(["securityContext", "rollingUpdate"]);

function tidied(value: unknown, path: readonly string[] = []): JsonObject {
  const kept = Object.entries(value as JsonObject).flatMap(([key, field]): [string, unknown][] => {
    const tidy = tidiedField(key, field, path);
    return tidy === undefined ? [] : [[key, tidy]];
  });
  return Object.fromEntries(kept);
}

function tidiedField(key: string, field: unknown, path: readonly string[]): unknown {
  if (key === "managedFields") return field ?? undefined;
  if (path.includes("data")) return field ?? "";
  if (field === null) return undefined;
  if (isList(field)) {
    if (field.length === 0) return undefined;
    return field.map((item) => (isObject(item) ? tidied(item, [...path, key]) : item));
  }
  if (!isObject(field)) return field;
  const tidy = tidied(field, [...path, key]);
  return Object.keys(tidy).length > 0 || structs.has(key) || pointers.has(key) ? tidy : undefined;
}
