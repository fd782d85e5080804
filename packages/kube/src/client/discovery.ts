import type { ResourceType } from "@berg/apimachinery";
import { abortable } from "../abort.ts";
import type { Clock } from "../clock.ts";
import { type Budget, keepWithin, noBudget } from "./budget.ts";

/** What the server serves. Asked once and kept; asked again for what is not there, since it may have been installed. */
export interface Discovery {
  /**
   * The resource of a kind: `find({ group: "gateway.networking.k8s.io", kind: "TLSRoute" })`. Without a version, the
   * one that the server prefers; undefined where it serves none.
   */
  find(
    wanted: { group: string; kind: string; version?: string },
    options?: { signal?: AbortSignal | undefined },
  ): Promise<ResourceType | undefined>;
  /** Every resource served, the preferred version of a group first, without subresources. */
  all(options?: { signal?: AbortSignal | undefined }): Promise<readonly ResourceType[]>;
}

type GetJson = <T>(path: string, accept: string, signal: AbortSignal) => Promise<T>;

// One that keeps asking for a kind which is not installed costs the server one answer in this time.
const askAgainAfterMs = 5_000;
// What was found may be gone, too, as an old version is after an upgrade.
const keptForMs = 600_000;

export function createDiscovery(getJson: GetJson, clock: Clock, budget = noBudget): Discovery {
  let known: readonly ResourceType[] | undefined;
  let asking: Promise<readonly ResourceType[]> | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;

  // Callers share one answer. It is not bound to the signal of the first of them, who may leave.
  const ask = () => {
    asking ??= readInTime(getJson, clock, budget)
      .then((resources) => {
        known = resources;
        askedAt = clock.monotonic();
        return resources;
      })
      .finally(() => {
        asking = undefined;
      });
    return asking;
  };

  const knownForMs = () => clock.monotonic() - askedAt;

  return {
    async all(options) {
      return known && knownForMs() < keptForMs ? known : abortable(ask(), options?.signal);
    },
    async find(wanted, options) {
      const fits = (type: ResourceType) =>
        type.group === wanted.group &&
        type.kind === wanted.kind &&
        (wanted.version === undefined || type.version === wanted.version);
      const found = known?.find(fits);
      if (knownForMs() < (found ? keptForMs : askAgainAfterMs)) return found;
      return (await abortable(ask(), options?.signal)).find(fits);
    },
  };
}

// THE ANSWERS, NEW AND OLD

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const plain = "application/json";

interface AggregatedDiscovery {
  kind: "APIGroupDiscoveryList";
  items: {
    metadata?: { name?: string };
    versions: { version: string; resources?: AggregatedResource[] }[];
  }[];
}

interface AggregatedResource {
  resource: string;
  scope: string;
  responseKind?: { kind: string };
}

interface LegacyVersions {
  kind: "APIVersions";
  versions: string[];
}

interface LegacyGroups {
  kind: "APIGroupList";
  groups: { name: string; versions: { version: string }[]; preferredVersion?: { version: string } }[];
}

interface LegacyResources {
  resources: { name: string; kind: string; namespaced: boolean }[];
}

async function readInTime(getJson: GetJson, clock: Clock, budget: Budget): Promise<readonly ResourceType[]> {
  const { discoveryMs } = budget;
  const limit = new AbortController();
  if (!Number.isFinite(discoveryMs)) return readAll(getJson, budget, limit.signal);
  const tooSlow = new Error(`the server does not say in ${discoveryMs} ms what it serves`);
  const timer = clock.setTimer(discoveryMs, () => limit.abort(tooSlow));
  try {
    return await readAll(getJson, budget, limit.signal);
  } finally {
    timer.cancel();
  }
}

async function readAll(getJson: GetJson, budget: Budget, signal: AbortSignal): Promise<readonly ResourceType[]> {
  const accept = `${aggregated},${plain}`;
  const [core, groups] = await Promise.all([
    getJson<AggregatedDiscovery | LegacyVersions>("/api", accept, signal),
    getJson<AggregatedDiscovery | LegacyGroups>("/apis", accept, signal),
  ]);
  const parts = [
    ...(core.kind === "APIGroupDiscoveryList" ? fromAggregated(core) : legacyCore(core)),
    ...(groups.kind === "APIGroupDiscoveryList" ? fromAggregated(groups) : legacyVersions(groups)),
  ];
  keepWithin(parts.length, budget.groupVersions, "versions of groups");
  let found: ResourceType[] = [];
  for (let at = 0; at < parts.length; at += askedAtOnce) {
    const next = parts.slice(at, at + askedAtOnce);
    const lists = await Promise.all(next.map((part) => part.resources ?? readLegacy(getJson, part, signal)));
    found = found.concat(...lists);
    keepWithin(found.length, budget.items, "resources");
  }
  return found;
}

/** Of an older server, each of them is an answer of its own, and all of them at once may be long. */
const askedAtOnce = 10;

/** What is served in one version of one group; to be asked for where it is not told yet. */
interface GroupVersion {
  group: string;
  version: string;
  resources?: ResourceType[];
}

function fromAggregated(list: AggregatedDiscovery): GroupVersion[] {
  return list.items.flatMap((group) =>
    group.versions.map(({ version, resources = [] }) => {
      const name = group.metadata?.name ?? "";
      return { group: name, version, resources: resources.flatMap((one) => servedIn(name, version, one)) };
    }),
  );
}

function servedIn(group: string, version: string, { resource, scope, responseKind }: AggregatedResource) {
  // Without a kind of its own a resource is only the parent of subresources, or its server is away just now.
  if (!responseKind?.kind) return [];
  return { group, version, resource, kind: responseKind.kind, namespaced: scope === "Namespaced" };
}

function legacyCore({ versions }: LegacyVersions): GroupVersion[] {
  return versions.map((version) => ({ group: "", version }));
}

function legacyVersions(list: LegacyGroups): GroupVersion[] {
  return list.groups.flatMap(({ name, versions, preferredVersion }) => {
    const ordered = [...versions].sort((a, b) => rank(a.version, preferredVersion) - rank(b.version, preferredVersion));
    return ordered.map(({ version }) => ({ group: name, version }));
  });
}

function rank(version: string, preferred: { version: string } | undefined): number {
  return version === preferred?.version ? 0 : 1;
}

async function readLegacy(
  getJson: GetJson,
  { group, version }: GroupVersion,
  signal: AbortSignal,
): Promise<ResourceType[]> {
  const path = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  // One aggregated server that is down must not hide all other groups.
  const list = await getJson<LegacyResources>(path, plain, signal).catch((error) => {
    if (group === "" || signal.aborted) throw error;
    return { resources: [] };
  });
  return list.resources
    .filter(({ name }) => !name.includes("/"))
    .map(({ name, kind, namespaced }) => ({ group, version, resource: name, kind, namespaced }));
}
