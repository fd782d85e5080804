/**
 * A Shoot that is there, with what its Cluster asks for now. Pure. Only what may change on a Shoot is taken over; whatever
 * else stands there (defaults, other worker pools, what people have added) is somebody else's, and stays.
 *
 *     const spec = withChanges(live.spec, wanted, ownConfigMap);   // equal to live.spec where nothing is to be done
 */
import type { ProviderBlob, ShootSpec, ShootWorker } from "../../gardener/kinds.ts";
import { renderSpec, type Wanted } from "./render.ts";
import { isNewer } from "./versions.ts";

/** `ownAuthentication`: what a ConfigMap of ours is called. One of another name is somebody else's, unless ours is wanted. */
export function withChanges(live: ShootSpec, asked: Wanted, ownAuthentication: string): ShootSpec {
  const { provider } = live;
  const wanted = renderSpec(asked);
  return {
    ...live,
    ...(wanted.purpose !== undefined && { purpose: wanted.purpose }),
    // Once it is there it stays: Gardener cannot take it back.
    ...(live.controlPlane?.highAvailability === undefined && wanted.controlPlane
      ? { controlPlane: { ...live.controlPlane, ...wanted.controlPlane } }
      : {}),
    ...(wanted.extensions && { extensions: extensionsOf(live.extensions ?? [], wanted.extensions) }),
    ...kubernetesOf(live, wanted, ownAuthentication),
    ...(wanted.maintenance && { maintenance: maintenanceOf(live.maintenance ?? {}, wanted.maintenance) }),
    provider: {
      ...provider,
      ...infrastructureOf(provider.infrastructureConfig, wanted.provider.infrastructureConfig),
      workers: workersOf(provider.workers ?? [], wanted.provider.workers ?? [], asked.infrastructure.volume),
    },
  };
}

type Extensions = NonNullable<ShootSpec["extensions"]>;

function extensionsOf(live: Extensions, wanted: Extensions): Extensions {
  const kept = live.map((one) => ({ ...one, ...wanted.find(({ type }) => type === one.type) }));
  return [...kept, ...wanted.filter(({ type }) => !live.some((one) => one.type === type))];
}

function kubernetesOf(
  { kubernetes = {} }: ShootSpec,
  wanted: ShootSpec,
  ownAuthentication: string,
): Pick<ShootSpec, "kubernetes"> {
  const { version } = wanted.kubernetes ?? {};
  const server = serverOf(kubernetes.kubeAPIServer, wanted.kubernetes?.kubeAPIServer, ownAuthentication);
  const next = {
    ...kubernetes,
    // Gardener updates by itself: what is newer than asked for is no mistake, and there is no way back.
    ...(version !== undefined &&
      (kubernetes.version === undefined || isNewer(version, kubernetes.version)) && { version }),
    ...(server && { kubeAPIServer: server }),
  };
  return Object.keys(next).length === 0 ? {} : { kubernetes: next };
}

type ApiServer = NonNullable<ShootSpec["kubernetes"]>["kubeAPIServer"];

function serverOf(live: ApiServer, wanted: ApiServer, ownAuthentication: string): ApiServer {
  if (wanted) return { ...live, ...wanted };
  if (live?.structuredAuthentication?.configMapName !== ownAuthentication) return live;
  const { structuredAuthentication: _, ...others } = live;
  return others;
}

type Maintenance = NonNullable<ShootSpec["maintenance"]>;

function maintenanceOf(live: Maintenance, wanted: Maintenance): Maintenance {
  const autoUpdate = wanted.autoUpdate && { autoUpdate: { ...live.autoUpdate, ...wanted.autoUpdate } };
  return { ...live, ...wanted, ...autoUpdate };
}

/** Networks cannot be changed, only have zones added; and people put in ids of their own. */
function infrastructureOf(
  live: ProviderBlob | undefined,
  wanted: ProviderBlob | undefined,
): { infrastructureConfig?: ProviderBlob } {
  if (!live || !wanted) return wanted ? { infrastructureConfig: wanted } : {};
  const [there, asked] = [zonesOf(live), zonesOf(wanted)];
  const missing = asked.filter(({ name }) => !there.some((zone) => zone.name === name));
  if (missing.length === 0) return {};
  const networks = { ...(live.networks as object), zones: [...there, ...missing] };
  return { infrastructureConfig: { ...live, networks } };
}

function zonesOf({ networks }: ProviderBlob): { name: unknown }[] {
  return (networks as { zones?: { name: unknown }[] } | undefined)?.zones ?? [];
}

function workersOf(live: readonly ShootWorker[], wanted: readonly ShootWorker[], volume: Volume): ShootWorker[] {
  const kept = live.map((worker) => {
    const asked = wanted.find(({ name }) => name === worker.name);
    return asked ? workerWith(worker, asked, volume) : worker;
  });
  return [...kept, ...wanted.filter(({ name }) => !live.some((worker) => worker.name === name))];
}

type Volume = Wanted["infrastructure"]["volume"];

// What nobody asked for is set once, when the pool is made: another default of ours would replace every machine.
function workerWith(live: ShootWorker, wanted: ShootWorker, volume: Volume): ShootWorker {
  const zones = [...(live.zones ?? []), ...(wanted.zones ?? []).filter((zone) => !live.zones?.includes(zone))];
  return {
    ...live,
    machine: { ...live.machine, type: wanted.machine.type, ...imageOf(live, wanted) },
    minimum: wanted.minimum,
    maximum: wanted.maximum,
    ...(volume && { volume: { ...live.volume, ...volume } }),
    zones,
  };
}

/** A version that Gardener has chosen since is kept. */
function imageOf(
  { machine: { image: live } }: ShootWorker,
  { machine }: ShootWorker,
): Pick<ShootWorker["machine"], "image"> {
  const wanted = machine.image;
  if (!wanted) return live ? { image: live } : {};
  if (live?.name !== wanted.name) return { image: wanted };
  const isOlder = wanted.version !== undefined && (live.version === undefined || isNewer(wanted.version, live.version));
  return { image: isOlder ? { ...live, ...wanted } : live };
}
