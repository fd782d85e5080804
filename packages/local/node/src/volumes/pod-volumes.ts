/** The volumes of one pod on disk: made before its containers, kept up to date while it lives, and gone with it. */
import { chmod, chown, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseQuantity } from "@berg/apimachinery";
import type { Client, Clock, Pod } from "@berg/kube";
import type { Bind } from "../containers/container-create.ts";
import { expand } from "../containers/expand.ts";
import type { Place } from "../containers/field-values.ts";
import type { Container, Volume, VolumeMount } from "../containers/shapes.ts";
import { unsupportedVolume } from "../containers/unsupported.ts";
import { diskUse } from "./disk-use.ts";
import { canMount, isMountPoint, mountMemory, unmountBelow } from "./mount.ts";
import { readObjects, requestToken, type Token } from "./objects.ts";
import { haveSameUser, isWritten, payloadOf, VolumeError } from "./payload.ts";
import { openSubPath } from "./sub-path.ts";
import { objectsOfVolume } from "./used-objects.ts";
import { writeAtomically } from "./write-atomically.ts";

/** Why one volume is not there: kubelet's FailedMount. */
export class MountError extends Error {
  constructor(volume: string, why: string) {
    super(`MountVolume.SetUp failed for volume "${volume}" : ${why}`);
    this.name = "MountError";
  }
}

export interface PodVolumesOptions {
  client: Client;
  clock: Clock;
  /** Of this pod alone. */
  directory: string;
}

export class PodVolumes {
  readonly #options: PodVolumesOptions;
  /** By volume and path. */
  readonly #tokens = new Map<string, Token & { requestedAt: number }>();
  #version = 0;

  constructor(options: PodVolumesOptions) {
    this.#options = options;
  }

  /** Makes what is missing and rewrites what changed; a second call costs no more than the reads. */
  async setUp(pod: Pod, place: Place, signal: AbortSignal): Promise<void> {
    for (const volume of pod.spec?.volumes ?? []) {
      try {
        await this.#setUpOne(volume, pod, place, signal);
      } catch (error) {
        signal.throwIfAborted();
        throw new MountError(volume.name, error instanceof Error ? error.message : "it cannot be written");
      }
    }
  }

  /** When the files should be looked at again without cause: a token is renewed after four fifths of its life. */
  get refreshAt(): number | undefined {
    const times = [...this.#tokens.values()].map(
      ({ requestedAt, expiresAt }) => requestedAt + (expiresAt - requestedAt) * 0.8,
    );
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** How much of the disk one of them uses, in bytes. */
  async useOf(volume: string, signal: AbortSignal, enough?: number): Promise<number> {
    return diskUse(this.#directoryOf(volume), signal, enough);
  }

  /** Where a container sees them. */
  async binds(container: Container, env: ReadonlyMap<string, string>, attempt: number, pod: Pod): Promise<Bind[]> {
    const binds: Bind[] = [];
    for (const [index, mount] of (container.volumeMounts ?? []).entries()) {
      const volume = pod.spec?.volumes?.find(({ name }) => name === mount.name);
      if (!volume)
        throw new VolumeError(`cannot find volume "${mount.name}" to mount into container "${container.name}"`);
      const holder = join(this.#options.directory, "subpaths", container.name, String(attempt), String(index));
      binds.push({
        from: await this.#sourceOf(mount, env, holder),
        to: mount.mountPath,
        readOnly: mount.readOnly === true || isWritten(volume),
      });
    }
    return binds;
  }

  async remove(): Promise<void> {
    await unmountBelow(this.#options.directory);
    await rm(this.#options.directory, { recursive: true, force: true });
  }

  async #sourceOf(mount: VolumeMount, env: ReadonlyMap<string, string>, holder: string): Promise<string> {
    const subPath = mount.subPath || (mount.subPathExpr ? expand(mount.subPathExpr, env) : "");
    const directory = this.#directoryOf(mount.name);
    return subPath === "" ? directory : openSubPath(directory, subPath, holder);
  }

  async #setUpOne(volume: Volume, pod: Pod, place: Place, signal: AbortSignal): Promise<void> {
    const refusal = unsupportedVolume(volume);
    if (refusal) throw new VolumeError(refusal);
    const directory = this.#directoryOf(volume.name);
    const group = pod.spec?.securityContext?.fsGroup;
    await this.#makeDirectory(directory, volume, group);
    if (!isWritten(volume)) return;

    const { client, clock } = this.#options;
    const objects = await readObjects(client, pod.metadata.namespace ?? "", objectsOfVolume(volume), signal);
    await this.#renewTokens(volume, pod, signal);
    const token = (path: string) => this.#tokens.get(`${volume.name}/${path}`)?.token;
    const payload = payloadOf(volume, pod, place, { ...objects, token });
    const user = haveSameUser(pod) && volume.projected ? runAsUser(pod) : undefined;
    await writeAtomically(directory, payload, { user, group }, `${Math.trunc(clock.now())}.${this.#version++}`);
  }

  async #makeDirectory(directory: string, volume: Volume, group: number | undefined): Promise<void> {
    const isNew = !(await exists(directory));
    if (isNew) await mkdir(directory, { recursive: true, mode: 0o755 });
    const isMemory = volume.emptyDir?.medium === "Memory" && canMount();
    const mustMount = isMemory && !(await isMountPoint(directory));
    if (!isNew && !mustMount) return;
    if (mustMount) {
      const limit = volume.emptyDir?.sizeLimit;
      await mountMemory(directory, limit === undefined ? undefined : Number(parseQuantity(limit).value()));
    }
    if (group !== undefined) await chown(directory, 0, group);
    // For whoever the container runs as; nobody else comes as far as here.
    await chmod(directory, (isMemory ? 0o1777 : 0o777) | (group === undefined ? 0 : 0o2000));
  }

  async #renewTokens(volume: Volume, pod: Pod, signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#options;
    for (const { serviceAccountToken } of volume.projected?.sources ?? []) {
      if (!serviceAccountToken) continue;
      const key = `${volume.name}/${serviceAccountToken.path}`;
      const known = this.#tokens.get(key);
      const now = clock.now();
      if (known && now < known.requestedAt + (known.expiresAt - known.requestedAt) * 0.8) continue;
      this.#tokens.set(key, { ...(await requestToken(client, pod, serviceAccountToken, signal)), requestedAt: now });
    }
  }

  #directoryOf(volume: string): string {
    return join(this.#options.directory, "volumes", volume);
  }
}

function runAsUser(pod: Pod): number | undefined {
  const [first] = pod.spec?.containers ?? [];
  return first?.securityContext?.runAsUser ?? pod.spec?.securityContext?.runAsUser;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** A file of ours that stands in a container, such as /etc/hosts. Rewritten in place: the container holds this very file. */
export async function writeOwnFile(path: string, text: string, mode = 0o644): Promise<void> {
  await writeFile(path, text, { mode });
  await chmod(path, mode);
}
