/**
 * What of a Cluster is settled by the cluster that was made for it. Gardener cannot change it there, so that an edit would
 * be stored and do nothing. Until then whoever named something that there is not may correct it. Each rule lets a field be
 * that is as it was: a Cluster must always take a status, and lose its finalizer.
 */
import { jsonEqual } from "@berg/apimachinery";
import type { ClusterSpec } from "./cluster.ts";
import type { ClusterStatus } from "./cluster-status.ts";
import type { Rule } from "./rules.ts";

interface Whole {
  spec: ClusterSpec;
  status?: ClusterStatus;
}

const either = (...ways: string[]) => ways.join(" || ");
const noShootYet = ["!has(oldSelf.status)", "!has(oldSelf.status.shootRef)"];
/** Zones are stored before the Shoot is made: as long as it is not, nothing stands in them. */
const nowhereYet = [...noShootYet, "!has(oldSelf.status.zones)"];

const zones: Rule<Whole> = {
  cel: either(
    ...nowhereYet,
    "!has(self.spec.infrastructure)",
    "!has(self.spec.infrastructure.zones)",
    "(has(oldSelf.spec.infrastructure) && has(oldSelf.spec.infrastructure.zones) && self.spec.infrastructure.zones == oldSelf.spec.infrastructure.zones)",
    "oldSelf.status.zones.all(zone, zone in self.spec.infrastructure.zones)",
  ),
  message: "zones must name every zone that the cluster stands in, which are in status.zones: it cannot leave one",
  field: "spec.infrastructure.zones",
  holds({ spec }, { spec: before, status }) {
    const named = spec.infrastructure?.zones;
    if (!status?.shootRef || !status.zones || !named || jsonEqual(named, before.infrastructure?.zones)) return true;
    return status.zones.every((zone) => named.includes(zone));
  },
};

const numberOfZones: Rule<Whole> = {
  cel: either(
    ...nowhereYet,
    "!has(self.spec.infrastructure)",
    "!has(oldSelf.spec.infrastructure)",
    "self.spec.infrastructure.numberOfZones >= oldSelf.spec.infrastructure.numberOfZones",
    "self.spec.infrastructure.numberOfZones >= oldSelf.status.zones.size()",
  ),
  message: "numberOfZones cannot be less than the zones that the cluster stands in, which are in status.zones",
  field: "spec.infrastructure.numberOfZones",
  holds({ spec: { infrastructure: now } }, { spec: { infrastructure: before }, status }) {
    if (!status?.shootRef || !status.zones || !now || !before) return true;
    if (now.numberOfZones >= before.numberOfZones) return true;
    return now.numberOfZones >= status.zones.length;
  },
};

function withShoot(field: "cloudProfile" | "exposureClassName"): Rule<Whole> {
  const [now, before] = [`self.spec.core.${field}`, `oldSelf.spec.core.${field}`];
  return {
    cel: either(
      ...noShootYet,
      "!has(self.spec.core)",
      "!has(oldSelf.spec.core)",
      `(has(${now}) ? has(${before}) && ${now} == ${before} : !has(${before}))`,
    ),
    message: `${field} cannot be changed, set or taken away once the Shoot is there`,
    field: `spec.core.${field}`,
    holds: ({ spec: { core } }, { spec: { core: was }, status }) =>
      !status?.shootRef || !core || !was || core[field] === was[field],
  };
}

export const settledFields = [zones, numberOfZones, withShoot("cloudProfile"), withShoot("exposureClassName")];
