/** A container of a pod, and the pause container that holds its network, as the engine is asked to make them. Pure. */
import type { Pod } from "@berg/kube";
import type { ContainerCreate, Image } from "@berg/local-engine";
import { hostnameOf } from "./etc-files.ts";
import { expand } from "./expand.ts";
import { makeLabels } from "./labels.ts";
import { memoryLimit, resourceLimits } from "./resources.ts";
import { podSysctls, security } from "./security.ts";
import type { Container } from "./shapes.ts";

/** One directory or file of the host, where a container sees it. */
export interface Bind {
  from: string;
  to: string;
  readOnly: boolean;
}

export interface ContainerParts {
  pod: Pod;
  container: Container;
  node: string;
  attempt: number;
  image: Image;
  /** In the order in which they are said. */
  env: ReadonlyMap<string, string>;
  binds: readonly Bind[];
  pauseId: string;
  machineBytes: number;
  /** Docker takes the pause container's name by itself, and refuses to be told. */
  namesHost: boolean;
  /** Of the pod's runtime class. */
  runtime?: string | undefined;
}

/**
 * What a container says must not fill the disk: of a log that is too long the beginning goes. Podman knows its own kind
 * by this name too; it keeps one file, however many it may have.
 */
export const limitedLog = { Type: "json-file", Config: { "max-size": "10m", "max-file": "2" } };

export function containerCreate(parts: ContainerParts): ContainerCreate {
  const { pod, container, env, image } = parts;
  const { User, HostConfig } = security(pod, container, image);
  const command = (container.command ?? []).map((text) => expand(text, env));
  const args = (container.args ?? []).map((text) => expand(text, env));
  return {
    Image: image.id,
    ...(parts.namesHost && { Hostname: hostnameOf(pod) }),
    Env: [...env].map(([name, value]) => `${name}=${value}`),
    ...(User !== undefined && { User }),
    ...commandOf(command, args, image),
    ...(container.workingDir && { WorkingDir: container.workingDir }),
    Labels: makeLabels(pod, parts.node, {
      role: "container",
      container: container.name,
      attempt: parts.attempt,
      sandbox: parts.pauseId,
    }),
    ...(container.tty && { Tty: true }),
    ...(container.stdin && { OpenStdin: true, StdinOnce: container.stdinOnce === true }),
    HostConfig: {
      NetworkMode: `container:${parts.pauseId}`,
      IpcMode: `container:${parts.pauseId}`,
      Binds: parts.binds.map(bindText),
      ...resourceLimits(pod, container, parts.machineBytes),
      ...HostConfig,
      ...(parts.runtime && { Runtime: parts.runtime }),
      LogConfig: limitedLog,
      RestartPolicy: { Name: "no" },
    },
  };
}

/**
 * A command takes the place of the image's entrypoint and of its arguments; arguments alone that of its arguments. The
 * image's own are named where the engine would leave them out.
 */
function commandOf(
  command: readonly string[],
  args: readonly string[],
  image: Image,
): Pick<ContainerCreate, "Entrypoint" | "Cmd"> {
  if (command.length > 0) return { Entrypoint: command, Cmd: args };
  if (args.length > 0) return { ...(image.entrypoint.length > 0 && { Entrypoint: image.entrypoint }), Cmd: args };
  return {};
}

export interface PauseParts {
  pod: Pod;
  node: string;
  attempt: number;
  image: string;
  network: string;
  /** Where the network gives addresses itself. */
  address?: string | undefined;
}

/** It needs a few hundred kB; what starts it, in its place at first, some MB. */
const pauseBytes = 64 * 1024 * 1024;

/** Does nothing, for as long as the pod lives: its containers come and go, and the pod's address stays. */
export function pauseCreate({ pod, node, attempt, image, network, address }: PauseParts): ContainerCreate {
  return {
    Image: image,
    Hostname: hostnameOf(pod),
    Labels: makeLabels(pod, node, { role: "pause", attempt }),
    HostConfig: {
      NetworkMode: network,
      IpcMode: "shareable",
      PidsLimit: 16,
      ...memoryLimit(pauseBytes),
      CapDrop: ["ALL"],
      ReadonlyRootfs: true,
      SecurityOpt: ["no-new-privileges"],
      ...podSysctls(pod),
      RestartPolicy: { Name: "no" },
    },
    ...(address && {
      NetworkingConfig: { EndpointsConfig: { [network]: { IPAMConfig: { IPv4Address: address } } } },
    }),
  };
}

function bindText({ from, to, readOnly }: Bind): string {
  return `${from}:${to}:${readOnly ? "ro" : "rw"}`;
}
