/** Services as `kubectl get` shows them. */
import type { AnyObject, Column } from "../../../registry/resource.ts";
import { ageColumn, column, nameColumn, showSelector, textAt } from "../../columns.ts";
import type { LoadBalancerIngress, Service, ServicePort } from "./shape.ts";

export const serviceColumns: readonly Column[] = [
  nameColumn,
  column("Type", "How it is exposed.", (object) => textAt(object, "spec", "type")),
  column("Cluster-IP", "Its address inside of the cluster.", (object) => specOf(object).clusterIPs?.[0] ?? "<none>"),
  column("External-IP", "Its addresses outside of the cluster.", (object) => externalAddress(object as Service)),
  column("Port(s)", "The ports that it exposes.", (object) => showPorts(specOf(object).ports)),
  ageColumn,
  column(
    "Selector",
    "The labels of the pods behind it.",
    (object) => showSelector({ matchLabels: specOf(object).selector ?? {} }),
    1,
  ),
];

function specOf(object: AnyObject): Service["spec"] {
  return (object as Service).spec;
}

function externalAddress({ spec, status }: Service): string {
  const { type, externalIPs = [], externalName = "" } = spec;
  if (type === "ExternalName") return externalName;
  if (type !== "LoadBalancer") return externalIPs.join(",") || "<none>";
  return [...showIngress(status.loadBalancer.ingress), ...externalIPs].join(",") || "<pending>";
}

/** Each once, in order. */
export function showIngress(ingress: readonly LoadBalancerIngress[] = []): string[] {
  return [...new Set(ingress.map(({ ip, hostname }) => ip ?? hostname ?? ""))].filter((name) => name !== "").sort();
}

function showPorts(ports: readonly ServicePort[] = []): string {
  const shown = ports.map(({ port, nodePort, protocol }) =>
    nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
  );
  return shown.join(",") || "<none>";
}
