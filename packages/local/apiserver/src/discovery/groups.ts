/** What is served, by group and version, in the order in which Kubernetes tells it. */

import { createHash } from "node:crypto";
import { apiVersionOf } from "@berg/apimachinery";
import type { ServedResource, Subresource } from "../registry/resource.ts";
import { builtInGroups, isBuiltIn } from "./built-in-groups.ts";

export interface Group {
  /** `""` for the core group. */
  name: string;
  /** The preferred one first. */
  versions: Version[];
}

export interface Version {
  version: string;
  /** `apps/v1`. */
  groupVersion: string;
  resources: ServedResource[];
}

export function groupsOf(resources: readonly ServedResource[]): Group[] {
  const byGroup = Map.groupBy(resources, ({ group }) => group);
  return [...byGroup]
    .map(([name, ofGroup]) => ({ name, versions: versionsOf(ofGroup) }))
    .sort((a, b) => rankOf(a.name) - rankOf(b.name) || compare(a.name, b.name));
}

function versionsOf(resources: readonly ServedResource[]): Version[] {
  return [...Map.groupBy(resources, ({ version }) => version)]
    .map(([version, ofVersion]) => ({
      version,
      groupVersion: apiVersionOf({ group: ofVersion[0]?.group ?? "", version }),
      resources: ofVersion.toSorted((a, b) => compare(a.resource, b.resource)),
    }))
    .sort((a, b) => byPriority(a.version, b.version));
}

/** What a resource has below it, its status included. */
export function subresourcesOf(resource: ServedResource): [string, Subresource][] {
  const { group, version, kind, strategy, subresources } = resource;
  const status: Subresource = { group, version, kind, verbs: ["get", "patch", "update"] };
  const all: [string, Subresource][] = Object.entries(subresources);
  if (strategy.hasStatus && !("status" in subresources)) all.unshift(["status", status]);
  return isBuiltIn(resource) ? all.sort(([a], [b]) => compare(a, b)) : all;
}

/** Tells clients whether two resources are stored in the same form. */
export function storageVersionHash({ group, storedVersion, kind }: ServedResource): string {
  const version = storedVersion.slice(storedVersion.indexOf("/") + 1);
  const hash = createHash("sha256").update(`${group}/${version}/${kind}`).digest();
  return hash.subarray(0, 8).toString("base64");
}

/** v2 before v1 before v1beta2 before v1alpha1 before anything else, which goes by its name. */
export function byPriority(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  if (!left || !right) return left ? -1 : right ? 1 : compare(a, b);
  return left.stage - right.stage || right.major - left.major || right.minor - left.minor;
}

function partsOf(version: string): { stage: number; major: number; minor: number } | undefined {
  const [, major, stage, minor] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? [];
  if (major === undefined) return undefined;
  const stages: Record<string, number> = { beta: 1, alpha: 2 };
  return { stage: stage ? (stages[stage] ?? 0) : 0, major: Number(major), minor: Number(minor ?? 0) };
}

/** Those that come with Kubernetes stand before all others. */
function rankOf(group: string): number {
  const rank = builtInGroups.indexOf(group);
  return rank < 0 ? builtInGroups.length : rank;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
