/** What is let through, and yet is most likely not meant: told to whoever wrote it. */

import { parseQuantity } from "@berg/apimachinery";
import { labelProblems } from "../../../schema/metadata/names.ts";
import type { Container, ContainerPort, Pod, PodSpec, Volume } from "../types.ts";

export function podWarnings({ metadata, spec }: Pod): string[] {
  const problems = labelProblems(metadata.name);
  const text =
    "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended";
  return [...(problems.length > 0 ? [`${text}: [${problems.join(" ")}]`] : []), ...specWarnings("spec", spec)];
}

/** `path` of the spec; names of objects that make pods become part of the pods' host names. */
export function templateWarnings(name: string, path: string, spec: PodSpec): string[] {
  const problems = labelProblems(name);
  const text =
    "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended";
  return [...(problems.length > 0 ? [`${text}: [${problems.join(" ")}]`] : []), ...specWarnings(path, spec)];
}

function specWarnings(path: string, spec: PodSpec): string[] {
  const containers = containersWithPaths(path, spec);
  return [
    ...(spec.topologySpreadConstraints ?? []).flatMap(({ labelSelector }, index) =>
      labelSelector ? [] : [matchesNothing(`${path}.topologySpreadConstraints[${index}]`)],
    ),
    ...(spec.volumes ?? []).flatMap(emptySources),
    ...containers.flatMap(([at, container]) => [...fractions(at, container), ...hiddenVariables(at, container)]),
    ...samePorts(containers),
    ...samePortNames(containers),
    ...((spec.terminationGracePeriodSeconds ?? 0) < 0
      ? [`${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
      : []),
    ...blindAffinity(`${path}.affinity`, spec),
  ];
}

type Placed = [path: string, container: Container];

function containersWithPaths(path: string, spec: PodSpec): Placed[] {
  return (["initContainers", "containers", "ephemeralContainers"] as const).flatMap((list) =>
    (spec[list] ?? []).map((container, index): Placed => [`${path}.${list}[${index}]`, container]),
  );
}

function matchesNothing(path: string): string {
  return `${path}.labelSelector: a null labelSelector results in matching no pod`;
}

function emptySources({ name, projected }: Volume): string[] {
  const empty = (projected?.sources ?? []).filter((source) => Object.keys(source).length === 0);
  return empty.map(() => `volume ${JSON.stringify(name)} (Projected) has no sources provided`);
}

function fractions(path: string, { resources }: Container): string[] {
  return ["memory", "ephemeral-storage"].flatMap((name) =>
    (["limits", "requests"] as const).flatMap((list) => {
      const text = resources?.[list]?.[name];
      if (text === undefined || parseQuantity(text).milliValue() % 1000n === 0n) return [];
      return [
        `${path}.resources.${list}[${name}]: fractional byte value ${JSON.stringify(text)} is invalid, must be an integer`,
      ];
    }),
  );
}

function hiddenVariables(path: string, { env = [] }: Container): string[] {
  const seen = new Set<string>();
  return env.flatMap(({ name, value = "", valueFrom }, index) => {
    const isFirst = !seen.has(name);
    seen.add(name);
    const reference = `$(${name})`;
    const buildsOnIt = !valueFrom && value !== reference && value.includes(reference);
    if (isFirst || buildsOnIt) return [];
    return [
      `${path}.env[${index}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
    ];
  });
}

function samePorts(containers: readonly Placed[]): string[] {
  const known: [path: string, port: ContainerPort][] = [];
  return portsWithPaths(containers).flatMap(([path, port]) => {
    const others = known.filter(
      ([, other]) => other.containerPort === port.containerPort && other.protocol === port.protocol,
    );
    known.push([path, port]);
    return others.flatMap(([otherPath, other]) => {
      const how = clash(port, other);
      return how === "" ? [] : [`${path}: ${how} port definition with ${otherPath}`];
    });
  });
}

function clash(one: ContainerPort, other: ContainerPort): string {
  const [ip, otherIP] = [one.hostIP ?? "", other.hostIP ?? ""];
  const [port, otherPort] = [one.hostPort ?? 0, other.hostPort ?? 0];
  if (ip === otherIP && port === otherPort) return "duplicate";
  if (port === 0 || otherPort === 0) return "overlapping";
  return port === otherPort && (ip === "" || otherIP === "") ? "dangerously ambiguous" : "";
}

function samePortNames(containers: readonly Placed[]): string[] {
  const known = new Map<string, string>();
  return portsWithPaths(containers).flatMap(([path, { name }]) => {
    if (!name) return [];
    const other = known.get(name);
    if (other === undefined) {
      known.set(name, path);
      return [];
    }
    const text = `duplicate port name ${JSON.stringify(name)} with ${other}`;
    return [`${path}: ${text}, services and probes that select ports by name will use ${other}`];
  });
}

function portsWithPaths(containers: readonly Placed[]): [path: string, port: ContainerPort][] {
  return containers.flatMap(([path, { ports = [] }]) =>
    ports.map((port, index): [string, ContainerPort] => [`${path}.ports[${index}]`, port]),
  );
}

function blindAffinity(path: string, { affinity }: PodSpec): string[] {
  const needed = "requiredDuringSchedulingIgnoredDuringExecution";
  const preferred = "preferredDuringSchedulingIgnoredDuringExecution";
  return (["podAffinity", "podAntiAffinity"] as const).flatMap((kind) => [
    ...(affinity?.[kind]?.[needed] ?? []).flatMap(({ labelSelector }, index) =>
      labelSelector ? [] : [matchesNothing(`${path}.${kind}.${needed}[${index}]`)],
    ),
    ...(affinity?.[kind]?.[preferred] ?? []).flatMap(({ podAffinityTerm }, index) =>
      podAffinityTerm.labelSelector ? [] : [matchesNothing(`${path}.${kind}.${preferred}[${index}].podAffinityTerm`)],
    ),
  ]);
}
