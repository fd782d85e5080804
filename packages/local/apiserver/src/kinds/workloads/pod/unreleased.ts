/** Fields that Kubernetes 1.36 knows, and drops unless someone switches on what they belong to. Nobody does here. */
import type { Container, PodSpec } from "../types.ts";

export function dropUnreleased(spec: PodSpec): void {
  for (const container of [
    ...(spec.containers ?? []),
    ...(spec.initContainers ?? []),
    ...(spec.ephemeralContainers ?? []),
  ])
    dropStopSignal(container);
  delete spec.schedulingGroup;
  for (const { projected } of spec.volumes ?? [])
    for (const source of projected?.sources ?? []) {
      delete source.clusterTrustBundle;
      delete source.podCertificate;
    }
}

function dropStopSignal(container: Container): void {
  if (container.lifecycle?.stopSignal === undefined) return;
  delete container.lifecycle.stopSignal;
  if (Object.keys(container.lifecycle).length === 0) delete container.lifecycle;
}
