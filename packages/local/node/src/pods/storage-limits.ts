/** Whether a pod uses more of the disk than it may, as kubelet looks at it: nothing stops it there, and then it goes. Pure. */
import { parseQuantity, type Quantity } from "@berg/apimachinery";
import type { Pod } from "@berg/kube";
import { type Container, initContainersOf, isSidecar, mainContainersOf } from "../containers/shapes.ts";
import { texts } from "./vocabulary.ts";

/** In bytes, by name. */
export interface StorageUse {
  /** Of each emptyDir on the disk. */
  readonly volumes: ReadonlyMap<string, number>;
  /** What each container wrote beside its volumes. */
  readonly containers: ReadonlyMap<string, number>;
  /** Of the files of ours that containers write to, such as /etc/hosts: the pod's as a whole. */
  readonly files: number;
}

/** Else there is no need to look. */
export function hasStorageLimit(pod: Pod): boolean {
  return podLimit(pod) !== undefined || emptyDirsOf(pod).some(({ limit }) => limit !== undefined);
}

/** The emptyDirs that are on the disk: what is in memory has a size of its own, and counts as memory. */
export function emptyDirsOf(pod: Pod): { name: string; limit: Quantity | undefined }[] {
  return (pod.spec?.volumes ?? []).flatMap(({ name, emptyDir }) => {
    if (!emptyDir || emptyDir.medium === "Memory") return [];
    const limit = emptyDir.sizeLimit === undefined ? undefined : parseQuantity(emptyDir.sizeLimit);
    return [{ name, limit: limit && limit.nanos > 0n ? limit : undefined }];
  });
}

/** As many bytes that nobody has to count further: with more than that the pod is over a limit. */
export function enoughBytes(pod: Pod): number {
  const limits = [podLimit(pod), ...emptyDirsOf(pod).map(({ limit }) => limit)].filter((limit) => limit !== undefined);
  return limits.reduce((sum, limit) => sum + Number(limit.value()), 0);
}

/** What its status says when it must go; undefined while it may stay. */
export function overStorage(pod: Pod, { volumes, containers, files }: StorageUse): string | undefined {
  for (const { name, limit } of emptyDirsOf(pod))
    if (limit && isOver(volumes.get(name) ?? 0, limit)) return texts.emptyDirOver(name, limit.toString());
  const limit = podLimit(pod);
  const all = [...volumes.values(), ...containers.values()].reduce((sum, bytes) => sum + bytes, files);
  if (limit && isOver(all, limit)) return texts.podStorageOver(limit.toString());
  for (const container of mainContainersOf(pod)) {
    const own = storageLimit(container);
    if (own && own.nanos > 0n && isOver(containers.get(container.name) ?? 0, own))
      return texts.containerStorageOver(container.name, own.toString());
  }
  return undefined;
}

function isOver(bytes: number, limit: Quantity): boolean {
  return BigInt(bytes) > limit.value();
}

/** All that run at the same time together, or one init container alone where that is more. */
function podLimit(pod: Pod): Quantity | undefined {
  const sum = (a: Quantity | undefined, b: Quantity | undefined) => (a && b ? a.add(b) : (a ?? b));
  let sidecars: Quantity | undefined;
  let most: Quantity | undefined;
  for (const container of initContainersOf(pod)) {
    const together = sum(sidecars, storageLimit(container));
    if (isSidecar(container)) sidecars = together;
    most = larger(most, together);
  }
  return larger(mainContainersOf(pod).map(storageLimit).reduce(sum, sidecars), most);
}

function larger(a: Quantity | undefined, b: Quantity | undefined): Quantity | undefined {
  return a && b ? (a.compare(b) < 0 ? b : a) : (a ?? b);
}

function storageLimit({ resources }: Container): Quantity | undefined {
  const text = resources?.limits?.["ephemeral-storage"];
  return text === undefined ? undefined : parseQuantity(text);
}
