/** What stands in the way of a Shoot before it is created: what the Cluster asks for, and Gardener does not offer. Pure. */
import type { ClusterInfrastructure } from "@berg/resources";
import type { CloudProfile } from "../../gardener/kinds.ts";
import { longestShootAndProject } from "../names.ts";
import { chooseZones } from "../providers/choose-zones.ts";
import { overlap, parseRange, type Range } from "../providers/cidr.ts";
import type { Provider } from "../providers/provider.ts";
import { reasons, texts } from "../vocabulary.ts";

export interface Problem {
  readonly reason: string;
  readonly message: string;
}

export interface Asked {
  readonly uid: string;
  readonly region: string;
  readonly infrastructure: ClusterInfrastructure;
  readonly provider: Provider;
  /** Those that it has already. */
  readonly zones: readonly string[];
}

export function nameProblem(shootName: string, project: string): Problem | undefined {
  if (shootName.length + project.length <= longestShootAndProject) return undefined;
  return { reason: reasons.invalidName, message: texts.nameTooLong(shootName, project, longestShootAndProject) };
}

/** The zones that it gets, with those that it has; or why it cannot have them. */
export function zonesFor(
  asked: Asked,
  name: string,
  profile: CloudProfile,
): { zones: string[] } | { problem: Problem } {
  const { uid, region, infrastructure, provider, zones: chosen } = asked;
  const { numberOfZones, zones: named = [] } = infrastructure;
  if (profile.spec.type !== provider.type)
    return problem(reasons.unknownProfile, texts.profileOfOther(name, profile.spec.type, provider.type));
  const regions = profile.spec.regions;
  const found = regions.find((one) => one.name === region);
  if (!found)
    return problem(
      reasons.unknownRegion,
      texts.unknownRegion(
        region,
        name,
        regions.map((one) => one.name),
      ),
    );
  const offered = found.zones?.map((zone) => zone.name) ?? [];
  const missing = named.find((zone) => !offered.includes(zone));
  if (missing !== undefined) return problem(reasons.unknownZone, texts.unknownZone(missing, region, offered));
  const wanted = [...chosen, ...named.filter((zone) => !chosen.includes(zone))];
  const zones = chooseZones(uid, offered, numberOfZones, wanted);
  if (zones.length < numberOfZones)
    return problem(reasons.tooFewZones, texts.tooFewZones(region, offered.length, numberOfZones));
  return { zones };
}

export function machineProblem(type: string, name: string, { spec }: CloudProfile): Problem | undefined {
  const known = spec.machineTypes?.filter(({ usable }) => usable !== false).map((one) => one.name);
  if (!known || known.includes(type)) return undefined;
  return { reason: reasons.unknownMachineType, message: texts.unknownMachineType(type, name, known) };
}

export function networkProblem(
  { networking }: ClusterInfrastructure,
  provider: Provider,
  zones: number,
): Problem | undefined {
  const invalid = (message: string) => ({ reason: reasons.invalidNetworking, message });
  const ranges: { field: string; range: Range }[] = [];
  for (const field of ["nodes", "pods", "services"] as const) {
    const range = parseRange(networking[field]);
    if (!range) return invalid(texts.noRange(field, networking[field]));
    const other = ranges.find((one) => overlap(one.range, range));
    if (other) return invalid(texts.overlapping(other.field, field));
    ranges.push({ field, range });
  }
  const noRoom = provider.roomProblem((ranges[0] as { range: Range }).range, zones);
  return noRoom === undefined ? undefined : invalid(texts.noRoom(noRoom));
}

function problem(reason: string, message: string): { problem: Problem } {
  return { problem: { reason, message } };
}
