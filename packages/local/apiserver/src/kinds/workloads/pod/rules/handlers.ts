/** Probes and life-cycle hooks. */

import { type FieldError, forbidden, invalid, required } from "../../../../errors/field-error.ts";
import { each, type IntOrPercent, notNegative, oneOf } from "../../../checks/field-rules.ts";
import { headerNameProblems, portNameProblems, portNumberProblems } from "../../../checks/names.ts";
import type { Container, Handler, PodSpec, Probe } from "../../types.ts";

export function probesAndHooks(path: string, container: Container, spec: PodSpec): FieldError[] {
  const { lifecycle, livenessProbe, readinessProbe, startupProbe } = container;
  return [
    ...hooks(`${path}.lifecycle`, lifecycle, spec),
    ...succeedsAtOnce(`${path}.livenessProbe`, livenessProbe, spec),
    ...readiness(`${path}.readinessProbe`, readinessProbe, spec),
    ...succeedsAtOnce(`${path}.startupProbe`, startupProbe, spec),
  ];
}

function hooks(path: string, lifecycle: Container["lifecycle"], spec: PodSpec): FieldError[] {
  const errors: FieldError[] = [];
  if (lifecycle?.postStart) errors.push(...handler(`${path}.postStart`, lifecycle.postStart, spec));
  if (lifecycle?.preStop) errors.push(...handler(`${path}.preStop`, lifecycle.preStop, spec));
  return errors;
}

function succeedsAtOnce(path: string, probe: Probe | undefined, spec: PodSpec): FieldError[] {
  if (!probe) return [];
  const errors = anyProbe(path, probe, spec);
  if (probe.successThreshold !== 1)
    errors.push(invalid(`${path}.successThreshold`, probe.successThreshold, "must be 1"));
  return errors;
}

function readiness(path: string, probe: Probe | undefined, spec: PodSpec): FieldError[] {
  if (!probe) return [];
  const errors = anyProbe(path, probe, spec);
  const { terminationGracePeriodSeconds: grace } = probe;
  if (grace !== undefined)
    errors.push(invalid(`${path}.terminationGracePeriodSeconds`, grace, "must not be set for readinessProbes"));
  return errors;
}

function anyProbe(path: string, probe: Probe, spec: PodSpec): FieldError[] {
  const errors = handler(path, probe, spec);
  for (const field of [
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
  ] as const)
    errors.push(...notNegative(`${path}.${field}`, probe[field]));
  const { terminationGracePeriodSeconds: grace } = probe;
  if (grace !== undefined && grace <= 0)
    errors.push(invalid(`${path}.terminationGracePeriodSeconds`, grace, "must be greater than 0"));
  return errors;
}

const kinds = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"] as const;

/** One kind of action, and one only. */
function handler(path: string, given: Handler, spec: PodSpec): FieldError[] {
  const [first, ...more] = kinds.filter((kind) => given[kind] !== undefined);
  if (first === undefined) return [required(path, "must specify a handler type")];
  return [
    ...action(`${path}.${first}`, { [first]: given[first] }, spec),
    ...more.map((kind) => forbidden(`${path}.${kind}`, "may not specify more than 1 handler type")),
  ];
}

function action(path: string, { exec, httpGet, tcpSocket, grpc, sleep }: Handler, spec: PodSpec): FieldError[] {
  if (exec) return exec.command?.length ? [] : [required(`${path}.command`)];
  if (tcpSocket) return port(`${path}.port`, tcpSocket.port);
  if (grpc) return port(`${path}.port`, grpc.port);
  if (sleep) return sleeps(path, sleep.seconds, spec.terminationGracePeriodSeconds);
  if (!httpGet) return [];
  const { path: url = "", scheme = "", httpHeaders = [] } = httpGet;
  return [
    ...(url === "" ? [required(`${path}.path`)] : []),
    ...port(`${path}.port`, httpGet.port),
    ...oneOf(`${path}.scheme`, scheme, ["HTTP", "HTTPS"]),
    ...httpHeaders.flatMap(({ name }) => each(`${path}.httpHeaders`, name, headerNameProblems(name))),
  ];
}

function sleeps(path: string, seconds: number, grace: number | undefined): FieldError[] {
  if (grace === undefined || (seconds >= 0 && seconds <= grace)) return [];
  const text = `must be non-negative and less than terminationGracePeriodSeconds (${grace})`;
  return [invalid(path, seconds, text)];
}

/** By number, or by the name that a container gave it. */
function port(path: string, value: IntOrPercent | undefined): FieldError[] {
  if (typeof value === "string") return each(path, value, portNameProblems(value));
  return each(path, value ?? 0, portNumberProblems(value ?? 0));
}
