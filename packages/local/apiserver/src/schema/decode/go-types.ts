/**
 * The Go types that the error texts of Kubernetes name: `PodSpec.spec.hostname of type string`. They are not part of a
 * schema, so that the names of structs are worked out from the names of fields; where those differ, they stand in a table.
 */
import { additional } from "../json.ts";
import type { Schema } from "../schema.ts";

/** Names of structs that do not follow from the name of their field; by field, or by struct and field. */
const structNames: Readonly<Record<string, string>> = {
  metadata: "ObjectMeta",
  template: "PodTemplateSpec",
  "PodTemplateSpec.spec": "PodSpec",
  "PodSpec.securityContext": "PodSecurityContext",
  initContainers: "Container",
  "Container.ports": "ContainerPort",
  "ServiceSpec.ports": "ServicePort",
  "NetworkPolicyIngressRule.ports": "NetworkPolicyPort",
  "NetworkPolicyEgressRule.ports": "NetworkPolicyPort",
  "NetworkPolicySpec.ingress": "NetworkPolicyIngressRule",
  "NetworkPolicySpec.egress": "NetworkPolicyEgressRule",
  from: "NetworkPolicyPeer",
  to: "NetworkPolicyPeer",
  env: "EnvVar",
  valueFrom: "EnvVarSource",
  envFrom: "EnvFromSource",
  resources: "ResourceRequirements",
  securityContext: "SecurityContext",
  selector: "LabelSelector",
  podSelector: "LabelSelector",
  namespaceSelector: "LabelSelector",
  matchExpressions: "LabelSelectorRequirement",
  livenessProbe: "Probe",
  readinessProbe: "Probe",
  startupProbe: "Probe",
  httpGet: "HTTPGetAction",
  tcpSocket: "TCPSocketAction",
  exec: "ExecAction",
  managedFields: "ManagedFieldsEntry",
  emptyDir: "EmptyDirVolumeSource",
  "Volume.secret": "SecretVolumeSource",
  "Volume.configMap": "ConfigMapVolumeSource",
  imagePullSecrets: "LocalObjectReference",
  rules: "PolicyRule",
  strategy: "DeploymentStrategy",
  rollingUpdate: "RollingUpdateDeployment",
};

/** The struct that a field of `struct` holds, or whose list or map it is. */
export function structOf(struct: string, field: string, isRoot: boolean): string {
  if (isRoot && (field === "spec" || field === "status")) return struct + capitalised(field);
  return structNames[`${struct}.${field}`] ?? structNames[field] ?? capitalised(singular(field));
}

/** `[]v1.Container`, `map[string]string`, `int32`. */
export function goType(schema: Schema, struct: string, version: string): string {
  if (schema["x-kubernetes-int-or-string"]) return schema.format === "quantity" ? "resource.Quantity" : "int32";
  const values = additional(schema);
  switch (schema.type) {
    case "string":
      return schema.format === "byte" ? "[]uint8" : "string";
    case "integer":
      return schema.format === "int32" || schema.format === "uint8" ? schema.format : "int64";
    case "number":
      return "float64";
    case "boolean":
      return "bool";
    case "array":
      return `[]${goType(schema.items ?? {}, struct, version)}`;
    default:
      return values ? `map[string]${goType(values, struct, version)}` : `${version}.${struct}`;
  }
}

/** What the decoder calls a JSON value. */
export function jsonType(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** What is in the place of a null in a list or map, where Go has none. */
export function zeroValue(schema: Schema): unknown {
  if (schema["x-kubernetes-int-or-string"]) return schema.format === "quantity" ? "0" : 0;
  switch (schema.type) {
    case "string":
      return "";
    case "integer":
    case "number":
      return 0;
    case "boolean":
      return false;
    case "object":
      return {};
    default:
      return null;
  }
}

function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function singular(text: string): string {
  if (text.endsWith("ies")) return `${text.slice(0, -3)}y`;
  return text.endsWith("s") && !text.endsWith("ss") ? text.slice(0, -1) : text;
}
