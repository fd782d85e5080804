/** What a pod, and a pod template, is given where it says nothing. The draft is in its stored form already. */
import type { Container, EnvVar, Handler, PodSpec, Probe, Volume } from "../types.ts";
import { containerRequests } from "./container-requests.ts";
import { imageTag } from "./image-name.ts";
import { dropUnreleased } from "./unreleased.ts";

/** For pods and templates alike. */
export function fillInPodSpec(spec: PodSpec): void {
  dropUnreleased(spec);
  spec.dnsPolicy ??= "ClusterFirst";
  spec.restartPolicy ??= "Always";
  spec.terminationGracePeriodSeconds ??= 30;
  spec.schedulerName ??= "default-scheduler";
  spec.securityContext ??= {};
  fillInServiceAccount(spec);
  for (const volume of spec.volumes ?? []) fillInVolume(volume);
  for (const container of allContainers(spec)) fillInContainer(container);
}

/** For pods alone, so that templates stay as they were written. */
export function fillInPod(spec: PodSpec): void {
  for (const { resources } of [...(spec.containers ?? []), ...(spec.initContainers ?? [])])
    if (resources?.limits) resources.requests = { ...resources.limits, ...resources.requests };
  fillInPodResources(spec);
  // Below zero was once allowed, and means as soon as can be while the node still ends it in order.
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
  spec.enableServiceLinks ??= true;
  if (!spec.hostNetwork) return;
  for (const { ports = [] } of [...(spec.containers ?? []), ...(spec.initContainers ?? [])])
    for (const port of ports) port.hostPort ??= port.containerPort;
}

function allContainers(spec: PodSpec): Container[] {
  return [...(spec.containers ?? []), ...(spec.initContainers ?? []), ...(spec.ephemeralContainers ?? [])];
}

// The older name of the field is kept in step with the newer one, which wins.
function fillInServiceAccount(spec: PodSpec): void {
  const name = spec.serviceAccountName ?? spec.serviceAccount;
  if (name === undefined) return;
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}

function fillInContainer(container: Container): void {
  container.imagePullPolicy ??= pullPolicyFor(container.image);
  container.terminationMessagePath ??= "/dev/termination-log";
  container.terminationMessagePolicy ??= "File";
  for (const port of container.ports ?? []) port.protocol ??= "TCP";
  for (const variable of container.env ?? []) fillInVariable(variable);
  fillInProbe(container.livenessProbe);
  fillInProbe(container.readinessProbe);
  fillInProbe(container.startupProbe);
  fillInHandler(container.lifecycle?.postStart);
  fillInHandler(container.lifecycle?.preStop);
}

/** A tag that moves is looked up each time. */
function pullPolicyFor(image: string | undefined): string {
  return imageTag(image ?? "") === "latest" ? "Always" : "IfNotPresent";
}

function fillInVariable({ valueFrom }: EnvVar): void {
  if (valueFrom?.fieldRef) valueFrom.fieldRef.apiVersion ??= "v1";
}

function fillInProbe(probe: Probe | undefined): void {
  if (!probe) return;
  fillInHandler(probe);
  probe.timeoutSeconds ??= 1;
  probe.periodSeconds ??= 10;
  probe.successThreshold ??= 1;
  probe.failureThreshold ??= 3;
}

function fillInHandler(handler: Handler | undefined): void {
  if (handler?.grpc) handler.grpc.service ??= "";
  if (!handler?.httpGet) return;
  handler.httpGet.path ??= "/";
  handler.httpGet.scheme ??= "HTTP";
}

const readableByAll = 0o644;

function fillInVolume(volume: Volume): void {
  if (Object.keys(volume).every((field) => field === "name")) volume.emptyDir = {};
  const { secret, configMap, downwardAPI, projected, hostPath, image, ephemeral } = volume;
  for (const files of [secret, configMap, downwardAPI, projected]) if (files) files.defaultMode ??= readableByAll;
  if (hostPath) hostPath.type ??= "";
  if (image) image.pullPolicy ??= pullPolicyFor(image.reference);
  if (ephemeral?.volumeClaimTemplate?.spec) ephemeral.volumeClaimTemplate.spec.volumeMode ??= "Filesystem";
  for (const file of downwardAPI?.items ?? []) if (file.fieldRef) file.fieldRef.apiVersion ??= "v1";
  for (const source of projected?.sources ?? []) {
    for (const file of source.downwardAPI?.items ?? []) if (file.fieldRef) file.fieldRef.apiVersion ??= "v1";
    if (source.serviceAccountToken) source.serviceAccountToken.expirationSeconds ??= 3600;
  }
}

/** Of the pod as a whole: what its containers ask for together, or its own limits where they ask for nothing. */
function fillInPodResources(spec: PodSpec): void {
  const own = spec.resources;
  if (!own?.limits) return;
  const asked = [...containerRequests(spec)].filter(([name]) => name === "cpu" || name === "memory");
  const limits = Object.entries(own.limits).filter(([name]) => /^(cpu|memory|hugepages-.*)$/.test(name));
  if (limits.length + asked.length === 0) return;
  own.requests = {
    ...Object.fromEntries(limits),
    ...Object.fromEntries(asked.map(([name, sum]) => [name, sum.toString()])),
    ...own.requests,
  };
}
