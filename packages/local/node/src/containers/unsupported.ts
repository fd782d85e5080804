/** What a pod may ask for, and this node does not give: said in plain words, where its owner looks for why it waits. */
import type { Pod } from "@berg/kube";
import { initContainersOf, mainContainersOf, type Volume } from "./shapes.ts";

/** Why the pod cannot run here at all; undefined where it can. */
export function unsupportedOf(pod: Pod): string | undefined {
  const { spec } = pod;
  if (spec?.shareProcessNamespace)
    return "this node does not share processes among a pod's containers (shareProcessNamespace)";
  for (const container of [...initContainersOf(pod), ...mainContainersOf(pod)]) {
    if (container.ports?.some(({ hostPort }) => hostPort))
      return `this node opens no host ports (hostPort of container ${container.name}): use a Service of type NodePort`;
    for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe])
      if (probe?.grpc)
        return `this node cannot probe by gRPC (container ${container.name}): use exec, httpGet or tcpSocket`;
  }
  return undefined;
}

const offered = ["name", "configMap", "secret", "emptyDir", "projected", "downwardAPI"];

/** Why the volume cannot be had here; undefined where it can. */
export function unsupportedVolume(volume: Volume): string | undefined {
  const source = Object.keys(volume).find((key) => !offered.includes(key));
  if (source === undefined) return undefined;
  return `this node has no volumes of kind ${source} (configMap, secret, emptyDir, projected and downwardAPI)`;
}
