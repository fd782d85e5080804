/** How players reach a port by a hostname of its own, through the organiser's Gateway. */
import { apiVersionOf, type KubeObject, type ResourceType } from "@berg/apimachinery";
import { type ChallengePort, components, labels, transportProtocol } from "@berg/resources";
import type { Blueprint, Child, RouteTypes } from "./blueprint.ts";
import { marks } from "./marks.ts";
import { instanceNamespaceName, routeId, routeName, serviceName } from "./names.ts";

/** What we use of an HTTPRoute and a TLSRoute: here the two look the same. */
export interface Route extends KubeObject {
  spec: {
    parentRefs: { name: string; namespace: string; sectionName: string }[];
    hostnames: string[];
    rules: { backendRefs: { name: string; port: number }[] }[];
  };
}

export function routes(blueprint: Blueprint, types: RouteTypes): Child<Route>[] {
  const { httpListener, tlsListener } = blueprint.settings.gateway;
  const wanted = blueprint.workload.containers.flatMap(({ hostname, ports }) =>
    ports.flatMap((port) => {
      if (port.type === "publicHttpRoute") return route(blueprint, types.httpRoute, httpListener, hostname, port);
      if (port.type === "publicTlsRoute") return route(blueprint, types.tlsRoute, tlsListener, hostname, port);
      return [];
    }),
  );
  // An author may write "tcp" and "TCP" of one port: two ports to the Challenge, one route.
  return [...new Map(wanted.map((each) => [`${each.type.kind}/${each.manifest.metadata.name}`, each])).values()];
}

function route(
  blueprint: Blueprint,
  type: ResourceType,
  sectionName: string,
  hostname: string,
  { port, protocol }: ChallengePort,
): Child<Route> {
  const { instance, settings } = blueprint;
  const id = routeId(instance.uid, hostname, port, transportProtocol(protocol));
  const ofContainer = marks(blueprint, components.route, hostname);
  return {
    type: type as ResourceType<Route>,
    manifest: {
      apiVersion: apiVersionOf(type),
      kind: type.kind,
      metadata: {
        name: routeName(hostname, port),
        namespace: instanceNamespaceName(instance.ownerId),
        ...ofContainer,
        labels: { ...ofContainer.labels, [labels.hostname]: id },
      },
      spec: {
        parentRefs: [{ name: settings.gateway.name, namespace: settings.gateway.namespace, sectionName }],
        hostnames: [`${id}.${settings.domain}`],
        rules: [{ backendRefs: [{ name: serviceName(hostname), port }] }],
      },
    },
  };
}
