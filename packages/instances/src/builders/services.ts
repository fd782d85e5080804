/** The addresses of a container within its instance, and at the nodes. */
import { type Service, Services } from "@berg/kube";
import { type ChallengeContainer, type ChallengePort, components, labels, transportProtocol } from "@berg/resources";
import type { Blueprint, Child } from "./blueprint.ts";
import { marks } from "./marks.ts";
import { headlessServiceName, instanceNamespaceName, nodePortServiceName, serviceName } from "./names.ts";

type ServiceSpec = NonNullable<Service["spec"]>;

interface ServicePort {
  name: string;
  port: number;
  protocol: "TCP" | "UDP";
  targetPort: number;
}

export function services(blueprint: Blueprint): Child<Service>[] {
  return blueprint.workload.containers.flatMap((container) => servicesOf(blueprint, container));
}

export function isAtNodes({ manifest }: Child<Service>): boolean {
  return manifest.spec?.type === "NodePort";
}

/** Kubernetes refuses a Service without ports, unless it is headless. */
function servicesOf(blueprint: Blueprint, container: ChallengeContainer): Child<Service>[] {
  const { hostname } = container;
  const ports = servicePorts(container, () => true);
  const nodePorts = servicePorts(container, ({ type }) => type === "publicPort");
  const made: Child<Service>[] = [];
  const make = (name: string, spec: ServiceSpec) => made.push(service(blueprint, hostname, name, spec));

  if (ports.length > 0) make(serviceName(hostname), { type: "ClusterIP", ports });
  if (nodePorts.length > 0) make(nodePortServiceName(hostname), { type: "NodePort", ports: nodePorts });
  if (blueprint.settings.headlessService)
    make(headlessServiceName(hostname), { type: "ClusterIP", clusterIP: "None", ...(ports.length > 0 && { ports }) });
  return made;
}

function service(blueprint: Blueprint, hostname: string, name: string, spec: ServiceSpec): Child<Service> {
  const { uid, ownerId } = blueprint.instance;
  return {
    type: Services,
    manifest: {
      metadata: {
        name,
        namespace: instanceNamespaceName(ownerId),
        ...marks(blueprint, components.service, hostname),
      },
      spec: { ...spec, selector: { [labels.container]: hostname, [labels.instanceUid]: uid } },
    },
  };
}

// No appProtocol: what authors write there is a hint for players, and Kubernetes accepts only some of it.
function servicePorts({ ports }: ChallengeContainer, wanted: (port: ChallengePort) => boolean): ServicePort[] {
  const protocolsOf = (number: number) =>
    new Set(ports.filter(({ port }) => port === number).map(({ protocol }) => transportProtocol(protocol)));
  // An author may write "tcp" and "TCP" of one port: two ports to the Challenge, one to Kubernetes.
  const distinct = new Map<string, ServicePort>();
  for (const { port, protocol: written } of ports.filter(wanted)) {
    const protocol = transportProtocol(written);
    const name = protocolsOf(port).size > 1 ? `port-${port}-${protocol.toLowerCase()}` : `port-${port}`;
    distinct.set(name, { name, port, protocol, targetPort: port });
  }
  return [...distinct.values()];
}
