/**
 * What a kube-apiserver counted itself. It does not say who asked: what it asks of itself has to be left out by kind.
 */
import type { ControlPlane } from "../../control-plane/control-plane.ts";
import { ask } from "../../control-plane/request.ts";
import type { Counts } from "./counts.ts";

/** What a server does for itself with nobody there. */
const itsOwn = new Set([
  ...["", "leases", "configmaps", "events", "services", "servicecidrs", "ipaddresses", "apiservices"],
  ...["customresourcedefinitions", "flowschemas", "prioritylevelconfigurations", "priorityclasses"],
]);

export async function requestsOf(controlPlane: ControlPlane): Promise<Counts> {
  const { hostname, port } = new URL(controlPlane.server);
  const { ca } = await controlPlane.connection.tls();
  const headers = { authorization: `Bearer ${controlPlane.token}` };
  const { body } = await ask({ host: hostname, port, path: "/metrics", headers, ca });
  return countsIn(body);
}

/** Watches apart: it counts them when they end, and has some of its own. */
export function countsIn(metrics: string): Counts {
  const counts: Counts = {};
  for (const line of metrics.split("\n")) {
    const [, labels = "", value] = /^apiserver_request_total\{(.*)\} (\S+)$/.exec(line) ?? [];
    if (value === undefined) continue;
    const label = (name: string) => new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? "";
    const [verb, resource, subresource] = [label("verb"), label("resource"), label("subresource")];
    if (itsOwn.has(resource) || verb === "WATCH") continue;
    const kind = `${verbs[verb] ?? verb.toLowerCase()} ${resource}${subresource && `/${subresource}`}`;
    counts[kind] = (counts[kind] ?? 0) + Number(value);
  }
  return counts;
}

/** As everybody else calls them. */
const verbs: Record<string, string> = { POST: "create", PUT: "update", APPLY: "patch" };
