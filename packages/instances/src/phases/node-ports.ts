/** The numbers that the cluster gave to ports which are open at every node. Players hold them in their hands. */
import { parseTime } from "@berg/apimachinery";
import { findCondition, Services } from "@berg/kube";
import { transportProtocol } from "@berg/resources";
import type { Blueprint, Child } from "../builders/blueprint.ts";
import type { NodePortLookup } from "../builders/endpoints.ts";
import { nodePortServiceName } from "../builders/names.ts";
import { childKey, type Snapshot } from "../observe/snapshot.ts";
import { conditionTypes, reasons } from "../vocabulary.ts";

interface ServicePort {
  port: number;
  protocol?: string;
  nodePort?: number;
}

/** Those of the Services that are there. */
export function nodePorts(seen: Snapshot): NodePortLookup {
  return (serviceName, port, protocol) => {
    const service = seen.children.get(childKey(Services.kind, serviceName)) as
      | { spec?: { ports?: ServicePort[] } }
      | undefined;
    return service?.spec?.ports?.find((one) => one.port === port && one.protocol === protocol)?.nodePort;
  };
}

/** The server gives a number free a moment after the Service that had it is gone. */
const insistForMs = 10_000;

/**
 * A Service that has to be made again asks for the numbers that players were told. Where somebody else has one of them
 * by now the server refuses it, and after a while any number will do.
 */
export function withToldNumbers(seen: Snapshot, blueprint: Blueprint, child: Child): Child {
  const { spec } = child.manifest as { spec?: { type?: string; ports?: ServicePort[] } };
  if (child.type.kind !== Services.kind || spec?.type !== "NodePort" || isTaken(seen)) return child;
  const told = toldNumbers(seen, blueprint);
  const ports = spec.ports?.map((one) => {
    const nodePort = told.get(portKey(child.manifest.metadata.name, one.port, one.protocol));
    return nodePort === undefined ? one : { ...one, nodePort };
  });
  return { ...child, manifest: { ...child.manifest, spec: { ...spec, ports } } as Child["manifest"] };
}

function isTaken({ instance, now }: Snapshot): boolean {
  const created = findCondition(instance.status?.conditions, conditionTypes.servicesCreated);
  if (created?.reason !== reasons.manifestRefused) return false;
  return parseTime(created.lastTransitionTime ?? "") + insistForMs <= now;
}

/** The status tells of ports in the order of the Challenge; those at the nodes are under the domain itself. */
function toldNumbers({ instance }: Snapshot, { workload, settings }: Blueprint): Map<string, number> {
  const told = (instance.status?.services ?? []).filter(({ hostname }) => hostname === settings.domain);
  const keys = workload.containers.flatMap(({ hostname, ports }) =>
    ports
      .filter(({ type }) => type === "publicPort")
      .map(({ port, protocol }) => portKey(nodePortServiceName(hostname), port, transportProtocol(protocol))),
  );
  if (told.length !== keys.length) return new Map();
  return new Map(keys.map((key, at) => [key, told[at]?.port as number]));
}

function portKey(serviceName: string, port: number, protocol = "TCP"): string {
  return `${serviceName} ${port} ${protocol}`;
}
