/** The containers of a pod or of a template. */

import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  notFound,
  notSupported,
  required,
  tooMany,
} from "../../../../errors/field-error.ts";
import { labelProblems } from "../../../../schema/metadata/names.ts";
import { each, oneOf, requiredOneOf } from "../../../checks/field-rules.ts";
import { portNameProblems, portNumberProblems } from "../../../checks/names.ts";
import type { Container, ContainerPort, PodSpec, Volume } from "../../types.ts";
import { environment, environmentFrom } from "./environment.ts";
import { probesAndHooks } from "./handlers.ts";
import { devices, mounts } from "./mounts.ts";
import { pullPolicy } from "./pull-policy.ts";
import { containerResources } from "./resources.ts";
import { containerSecurity } from "./security.ts";

type Volumes = ReadonlyMap<string, Volume>;

export function containers(path: string, spec: PodSpec, volumes: Volumes): FieldError[] {
  const list = spec.containers ?? [];
  if (list.length === 0) return [required(path)];
  const errors: FieldError[] = [];
  const names = new Set<string>();
  for (const [index, container] of list.entries()) {
    const at = `${path}[${index}]`;
    errors.push(...anyContainer(at, container, spec, volumes));
    if (names.has(container.name)) errors.push(duplicate(`${at}.name`, container.name));
    names.add(container.name);
    errors.push(...probesAndHooks(at, container, spec), ...restarts(at, container));
  }
  return [...errors, ...hostPorts(path, list)];
}

export function initContainers(path: string, spec: PodSpec, volumes: Volumes): FieldError[] {
  const names = new Set((spec.containers ?? []).map(({ name }) => name));
  return (spec.initContainers ?? []).flatMap((container, index) => {
    const at = `${path}[${index}]`;
    const errors = [...anyContainer(at, container, spec, volumes), ...restartsOfInit(at, container)];
    if (names.has(container.name)) errors.push(duplicate(`${at}.name`, container.name));
    else if (container.name !== "") names.add(container.name);
    // They run one after the other, so that two may want the same port. Kubernetes takes each for the first of its list.
    errors.push(...hostPorts(path, [container]));
    if (container.restartPolicy === "Always") return [...errors, ...probesAndHooks(at, container, spec)];
    for (const field of ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const)
      if (container[field])
        errors.push(forbidden(`${at}.${field}`, "may not be set for init containers without restartPolicy=Always"));
    for (const [number, { restartPolicy }] of (container.resizePolicy ?? []).entries())
      if (restartPolicy === "RestartContainer") {
        const text = "must not be set to 'RestartContainer' for non-sidecar initContainers";
        errors.push(invalid(`${at}.resizePolicy[${number}].restartPolicy`, restartPolicy, text));
      }
    return errors;
  });
}

/** What does not stand here is part of what the pod is for, and nothing to debug it with. */
const ephemeralFields = new Set([
  ...["name", "image", "command", "args", "workingDir", "envFrom", "env", "volumeMounts", "volumeDevices"],
  ...["terminationMessagePath", "terminationMessagePolicy", "imagePullPolicy", "securityContext"],
  ...["stdin", "stdinOnce", "tty", "targetContainerName"],
]);

export function ephemeralContainers(path: string, spec: PodSpec, volumes: Volumes): FieldError[] {
  const others = [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name }) => name);
  const names = new Set(others);
  const text = "cannot be set for an Ephemeral Container";
  return (spec.ephemeralContainers ?? []).flatMap((container, index) => {
    const at = `${path}[${index}]`;
    const { name, targetContainerName: target } = container;
    const errors = [...anyContainer(at, container, spec, volumes), ...unpaddedImage(at, container)];
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
    if (target && !others.includes(target)) errors.push(notFound(`${at}.targetContainerName`, target));
    for (const [field, value] of Object.entries(container))
      if (!ephemeralFields.has(field) && !isUnset(field, value)) errors.push(forbidden(`${at}.${field}`, text));
    for (const [number, mount] of (container.volumeMounts ?? []).entries())
      for (const field of ["subPath", "subPathExpr"] as const)
        if (mount[field]) errors.push(forbidden(`${at}.volumeMounts[${number}].${field}`, text));
    return errors;
  });
}

/** `resources` is there in every container. */
function isUnset(field: string, value: object): boolean {
  return field === "resources" && Object.keys(value).length === 0;
}

/** In a template a space may be put in place of an image that something else fills in; in a pod it may not. */
export function unpaddedImage(path: string, { image = "" }: Container): FieldError[] {
  if (image === image.trim()) return [];
  return [invalid(`${path}.image`, image, "must not have leading or trailing whitespace")];
}

function anyContainer(path: string, container: Container, spec: PodSpec, volumes: Volumes): FieldError[] {
  const { name, image, resources = {}, terminationMessagePolicy } = container;
  return [
    ...(name === "" ? [required(`${path}.name`)] : each(`${path}.name`, name, labelProblems(name))),
    ...(image ? [] : [required(`${path}.image`)]),
    ...requiredOneOf(`${path}.terminationMessagePolicy`, terminationMessagePolicy, ["File", "FallbackToLogsOnError"]),
    ...ports(`${path}.ports`, container.ports ?? []),
    ...environment(`${path}.env`, container.env ?? []),
    ...environmentFrom(`${path}.envFrom`, container.envFrom ?? []),
    ...mounts(`${path}.volumeMounts`, container, volumes),
    ...devices(`${path}.volumeDevices`, container, volumes),
    ...pullPolicy(`${path}.imagePullPolicy`, container.imagePullPolicy),
    ...containerResources(`${path}.resources`, resources, spec),
    ...resizing(`${path}.resizePolicy`, container, spec),
    ...containerSecurity(`${path}.securityContext`, container.securityContext, spec),
  ];
}

function ports(path: string, list: readonly ContainerPort[]): FieldError[] {
  const names = new Set<string>();
  return list.flatMap(({ name, containerPort, hostPort, protocol }, index) => {
    const at = `${path}[${index}]`;
    const errors: FieldError[] = [];
    if (name) {
      errors.push(...each(`${at}.name`, name, portNameProblems(name)));
      if (errors.length === 0 && names.has(name)) errors.push(duplicate(`${at}.name`, name));
      names.add(name);
    }
    if (containerPort === 0) errors.push(required(`${at}.containerPort`));
    else errors.push(...each(`${at}.containerPort`, containerPort, portNumberProblems(containerPort)));
    if (hostPort) errors.push(...each(`${at}.hostPort`, hostPort, portNumberProblems(hostPort)));
    return [...errors, ...requiredOneOf(`${at}.protocol`, protocol, ["SCTP", "TCP", "UDP"])];
  });
}

/** A port of the node has one taker. */
function hostPorts(path: string, list: readonly Container[]): FieldError[] {
  const taken = new Set<string>();
  return list.flatMap(({ ports = [] }, index) =>
    ports.flatMap(({ hostPort, protocol = "", hostIP = "" }, number) => {
      if (!hostPort) return [];
      const place = `${protocol}/${hostIP}/${hostPort}`;
      if (taken.has(place)) return [duplicate(`${path}[${index}].ports[${number}].hostPort`, place)];
      taken.add(place);
      return [];
    }),
  );
}

function resizing(path: string, { resizePolicy = [] }: Container, spec: PodSpec): FieldError[] {
  const seen = new Set<string>();
  return resizePolicy.flatMap(({ resourceName, restartPolicy }, index) => {
    const errors = seen.has(resourceName) ? [duplicate(`${path}[${index}]`, resourceName)] : [];
    seen.add(resourceName);
    errors.push(...requiredOneOf(path, resourceName, ["cpu", "memory"]));
    errors.push(...requiredOneOf(path, restartPolicy, ["NotRequired", "RestartContainer"]));
    if (spec.restartPolicy === "Never" && restartPolicy !== "NotRequired")
      errors.push(invalid(path, restartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"));
    return errors;
  });
}

/** Without a policy, what rules it has is not looked at. */
function restartsOfInit(path: string, container: Container): FieldError[] {
  const { restartPolicy, restartPolicyRules = [] } = container;
  if (restartPolicy !== undefined) return restarts(path, container);
  if (restartPolicyRules.length === 0) return [];
  return [required(`${path}.restartPolicy`, "must specify restartPolicy when restart rules are used")];
}

const mostRules = 20;
const mostExitCodes = 255;

function restarts(path: string, { restartPolicy, restartPolicyRules: rules = [] }: Container): FieldError[] {
  const errors: FieldError[] = [];
  if (restartPolicy !== undefined)
    errors.push(...oneOf(`${path}.restartPolicy`, restartPolicy, ["Always", "Never", "OnFailure"]));
  else if (rules.length > 0)
    errors.push(required(`${path}.restartPolicy`, "must specify restartPolicy when restart rules are used"));
  if (rules.length > mostRules) errors.push(tooMany(`${path}.restartPolicyRules`, rules.length, mostRules));
  for (const [index, { action = "", exitCodes }] of rules.entries()) {
    const at = `${path}.restartPolicyRules[${index}]`;
    errors.push(...oneOf(`${at}.action`, action, ["Restart", "RestartAllContainers"]));
    if (!exitCodes) errors.push(required(`${at}.exitCodes`, "must be specified"));
    else if (exitCodes.operator !== "In" && exitCodes.operator !== "NotIn")
      errors.push(notSupported(`${at}.exitCodes.operator`, exitCodes.operator ?? "", ["In", "NotIn"]));
    const count = exitCodes?.values?.length ?? 0;
    if (count > mostExitCodes) errors.push(tooMany(`${at}.exitCodes.values`, count, mostExitCodes));
  }
  return errors;
}
