/**
 * Tells, in EndpointSlices, which pods stand behind each Service that selects some. A slice belongs to its Service, and
 * the garbage collector removes it with that.
 */
import { keyOf, type Stored } from "@berg/apimachinery";
import {
  type Clock,
  deleteChild,
  type Manager,
  Nodes,
  OwnWrites,
  type Pod,
  Pods,
  type Service,
  Services,
  watchMapped,
  watchSelf,
} from "@berg/kube";
import { controllerReference } from "../replica-sets/claim.ts";
import {
  type EndpointSlice,
  EndpointSlices,
  headlessLabel,
  managedBy,
  managedByLabel,
  serviceNameLabel,
} from "./endpoint-slice.ts";
import { addressTypesOf, groupsOf } from "./endpoints.ts";
import { planSlices } from "./plan.ts";

const zoneLabel = "topology.kubernetes.io/zone";
/** Of the slice itself: a Service's own ones of these names are not copied. */
const reserved = new Set([serviceNameLabel, managedByLabel, headlessLabel]);

export function addEndpointSliceController(manager: Manager, { clock }: { clock: Clock }): void {
  const { client } = manager;
  const services = manager.informer(Services);
  const pods = manager.informer(Pods);
  const nodes = manager.informer(Nodes);
  const cachedSlices = manager.informer(EndpointSlices, {
    selection: { labelSelector: `${managedByLabel}=${managedBy}` },
  });
  const slices = new OwnWrites(cachedSlices, clock);
  slices.ensureIndex("service", (slice) => [serviceKeyOf(slice)]);
  services.ensureIndex("namespace", ({ metadata }) => [metadata.namespace as string]);
  pods.ensureIndex("namespace", ({ metadata }) => [metadata.namespace as string]);

  manager.addController({
    name: "endpoint-slices",
    watches: [
      watchSelf(services),
      watchMapped(pods, servicesOf),
      watchMapped(cachedSlices, (slice) => [serviceKeyOf(slice)]),
    ],
    async reconcile(key, { signal }) {
      const service = services.get(key);
      if (!service || service.metadata.deletionTimestamp || !hasSelector(service)) return;
      const { namespace = "" } = service.metadata;
      const behind = pods.byIndex("namespace", namespace).filter((pod) => isSelected(service, pod));
      const groups = groupsOf(service, behind, (node) => nodes.get(node)?.metadata.labels?.[zoneLabel]);
      const labels = labelsOf(service);
      const found = slices.byIndex("service", key).filter(({ metadata }) => !metadata.deletionTimestamp);
      const plan = planSlices(groups, addressTypesOf(service), found, labels);

      // New places before old ones go: an endpoint that moves is rather named twice than not at all.
      for (const slice of plan.create) {
        const metadata = {
          namespace,
          generateName: `${service.metadata.name}-`,
          labels,
          ownerReferences: [controllerReference(Services, service)],
        };
        slices.wrote(await client.create(EndpointSlices, { metadata, ...slice }, { signal }));
      }
      for (const slice of plan.update) slices.wrote(await client.update(EndpointSlices, slice, { signal }));
      for (const slice of plan.remove) {
        await deleteChild(client, EndpointSlices, slice, { signal });
        slices.gone(slice.metadata.uid);
      }
    },
  });

  function servicesOf(pod: Stored<Pod>): string[] {
    const near = services.byIndex("namespace", pod.metadata.namespace as string);
    return near.filter((service) => isSelected(service, pod)).map(keyOf);
  }
}

/** One without is filled by others, or leads out of the cluster. */
function hasSelector({ spec }: Service): boolean {
  return spec?.type !== "ExternalName" && Object.keys(spec?.selector ?? {}).length > 0;
}

function isSelected(service: Service, { metadata }: Pod): boolean {
  if (!hasSelector(service)) return false;
  return Object.entries(service.spec?.selector ?? {}).every(([key, value]) => metadata.labels?.[key] === value);
}

function serviceKeyOf({ metadata }: Stored<EndpointSlice>): string {
  return `${metadata.namespace}/${metadata.labels?.[serviceNameLabel]}`;
}

function labelsOf({ metadata, spec }: Stored<Service>): Record<string, string> {
  const own = Object.entries(metadata.labels ?? {}).filter(([key]) => !reserved.has(key));
  const isHeadless = !spec?.clusterIP || spec.clusterIP === "None";
  return {
    ...Object.fromEntries(own),
    ...(isHeadless && { [headlessLabel]: "" }),
    [serviceNameLabel]: metadata.name,
    [managedByLabel]: managedBy,
  };
}
