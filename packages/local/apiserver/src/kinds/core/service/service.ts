/** Services: a name and an address for pods that come and go. */
import type { AnyObject, AnyStoredObject, Moment, ServedResource } from "../../../registry/resource.ts";
import { labelProblems } from "../../../schema/metadata/names.ts";
import { builtIn, inStoredForm } from "../../built-in.ts";
import { textAt } from "../../columns.ts";
import { dropUnused, keepAllocated, matchClusterIPs } from "./changes.ts";
import { allocateClusterIP, readAddressRange } from "./cluster-ip.ts";
import { serviceColumns } from "./columns.ts";
import { fillInService } from "./defaults.ts";
import { settleFamilies } from "./families.ts";
import { allocateNodePorts, NodePorts, type PortRange } from "./node-ports.ts";
import { type Service, type ServiceSpec, serviceShape } from "./shape.ts";
import { serviceErrors, statusErrors } from "./validation.ts";
import { serviceWarnings } from "./warnings.ts";

export interface ServiceRanges {
  /** `10.96.0.0/16` */
  addresses: string;
  nodePorts: PortRange;
}

export const usualRanges: ServiceRanges = { addresses: "10.96.0.0/16", nodePorts: { first: 30_000, last: 32_767 } };

export function servicesWith(ranges: ServiceRanges): ServedResource {
  const addresses = readAddressRange(ranges.addresses);

  function allocate(draft: AnyObject, old: AnyStoredObject | undefined, moment: Moment): void {
    const service = draft as Service;
    const before = old && specOf(old);
    if (before) keepAllocated(service.spec, before);
    matchClusterIPs(service.spec, before);
    settleFamilies(service, before);
    if (!before || before.type === "ExternalName")
      allocateClusterIP(service, addresses, moment.newestAll("services"), () => moment.random());
    const ports = new NodePorts(ranges.nodePorts, moment.newestAll("services"), () => moment.random());
    allocateNodePorts(service, before, ports);
    if (before) dropUnused(service, before);
    else service.status = { loadBalancer: {} };
    if (service.spec.type === "ExternalName") delete service.spec.internalTrafficPolicy;
  }

  return builtIn({
    resource: "services",
    kind: "Service",
    shortNames: ["svc"],
    categories: ["all"],
    schema: serviceShape,
    columns: serviceColumns,
    selectableFields: {
      "spec.clusterIP": (object) => textAt(object, "spec", "clusterIP"),
      "spec.type": (object) => textAt(object, "spec", "type"),
    },
    strategy: {
      hasStatus: true,
      createsOnUpdate: true,
      fillIn: inStoredForm(serviceShape, fillInService),
      prepare: allocate,
      validate: (object, old, subresource) =>
        subresource === "status"
          ? statusErrors(object as Service)
          : serviceErrors(object as Service, old && specOf(old)),
      warnings: (object) => serviceWarnings(object as Service),
      nameProblems: labelProblems,
    },
  });
}

function specOf(stored: AnyStoredObject): ServiceSpec {
  return (stored as unknown as Service).spec;
}
