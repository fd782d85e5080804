/**
 * Which kinds the server serves, with what may be done to them. Read the old way, a document for each group and version:
 * only there does one that cannot be read show as such, and an emptied namespace must not hide what nobody could list.
 */
import { isNotFound, parseApiVersion, type ResourceType } from "@berg/apimachinery";
import type { Client } from "@berg/kube";

export interface ServedKind extends ResourceType {
  verbs: readonly string[];
  /** Whether this is the version of it to use where any will do. */
  preferred: boolean;
}

export interface Served {
  kinds: readonly ServedKind[];
  /** Groups with versions (`metrics.k8s.io/v1`) that did not say what they serve, in order. */
  unread: readonly string[];
}

interface GroupVersion {
  apiVersion: string;
  path: string;
}

interface ApiResource {
  name: string;
  kind: string;
  namespaced: boolean;
  verbs: string[];
}

export async function readServed(client: Pick<Client, "raw">): Promise<Served> {
  const versions = await readVersions(client);
  const lists = await Promise.all(versions.map((version) => readKinds(client, version)));
  const unread = versions.filter((_, index) => !lists[index]).map(({ apiVersion }) => apiVersion);
  return { kinds: markPreferred(lists.flatMap((list) => list ?? [])), unread: unread.sort() };
}

/** All versions of all groups; of one group the preferred first. */
async function readVersions(client: Pick<Client, "raw">): Promise<GroupVersion[]> {
  const [core, others] = await Promise.all([client.raw("/api"), client.raw("/apis")]);
  const { versions } = JSON.parse(core) as { versions: string[] };
  const { groups } = JSON.parse(others) as {
    groups: { versions: { groupVersion: string }[]; preferredVersion?: { groupVersion: string } }[];
  };
  const named = groups.flatMap(({ versions, preferredVersion }) => {
    const all = versions.map(({ groupVersion }) => groupVersion);
    const first = preferredVersion?.groupVersion;
    return first === undefined ? all : [first, ...all.filter((one) => one !== first)];
  });
  return [
    ...versions.map((version) => ({ apiVersion: version, path: `/api/${version}` })),
    ...named.map((groupVersion) => ({ apiVersion: groupVersion, path: `/apis/${groupVersion}` })),
  ];
}

async function readKinds(
  client: Pick<Client, "raw">,
  { apiVersion, path }: GroupVersion,
): Promise<Omit<ServedKind, "preferred">[] | undefined> {
  try {
    const { resources } = JSON.parse(await client.raw(path)) as { resources?: ApiResource[] };
    const whole = (resources ?? []).filter(({ name }) => !name.includes("/"));
    return whole.map(({ name, kind, namespaced, verbs }) => {
      return { ...parseApiVersion(apiVersion), resource: name, kind, namespaced, verbs };
    });
  } catch (error) {
    // A group that went between the two questions serves nothing.
    return isNotFound(error) ? [] : undefined;
  }
}

function markPreferred(kinds: Omit<ServedKind, "preferred">[]): ServedKind[] {
  const seen = new Set<string>();
  return kinds.map((kind) => {
    const name = `${kind.group}/${kind.resource}`;
    const preferred = !seen.has(name);
    seen.add(name);
    return { ...kind, preferred };
  });
}
