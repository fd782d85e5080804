import { apiVersionOf, isDNS1123Label } from "@berg/apimachinery";
import { ControllerRevisions } from "@berg/kube";
import type { ChallengeSpec } from "@berg/resources";
import { describe, expect, test } from "vitest";
import { readRevision, revisionOf, workloadOf } from "./revision.ts";
import { asYaml, blueprintOf, everyPortType } from "./testing/blueprints.ts";

const { challenge, workload, settings } = blueprintOf({ containers: everyPortType() });
const nameOf = (...args: Parameters<typeof revisionOf>) => revisionOf(...args).metadata.name;
const name = nameOf(challenge, workload, settings);

/** The same value with all keys in the opposite order. */
function reversed<T>(value: T): T {
  if (Array.isArray(value)) return value.map(reversed) as T;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, part]) => [key, reversed(part)]);
  return Object.fromEntries(entries.reverse());
}

/** Of every part of a value: `["gateway"]`, `["gateway", "name"]`, … */
function pathsIn(value: object, at: string[] = []): string[][] {
  return Object.entries(value).flatMap(([name, part]) => {
    const path = [...at, name];
    const isPlain = typeof part === "object" && part !== null && !Array.isArray(part);
    return isPlain ? [path, ...pathsIn(part, path)] : [path];
  });
}

function without(value: object, [name = "", ...rest]: string[]): object {
  const { [name]: part, ...others } = value as Record<string, object>;
  return rest.length === 0 || part === undefined ? others : { ...others, [name]: without(part, rest) };
}

describe("the revision of an instance", () => {
  test("holds the workload and the settings, and is marked as ours", async () => {
    const child = { type: ControllerRevisions, manifest: revisionOf(challenge, workload, settings) };
    await expect(asYaml([child])).toMatchFileSnapshot("snapshots/revision.yaml");
  });

  test("is one and the same for equal content, in whatever order it is written", () => {
    expect(nameOf(challenge, structuredClone(workload), structuredClone(settings))).toBe(name);
    expect(nameOf(reversed(challenge), reversed(workload), reversed(settings))).toBe(name);
  });

  test("is another one for other content", () => {
    const [web, ...rest] = workload.containers;
    const swapped = { ...workload, containers: [...rest, ...(web ? [web] : [])] };
    const names = [
      name,
      nameOf({ ...challenge, namespace: "other" }, workload, settings),
      nameOf(challenge, { ...workload, allowOutboundTraffic: true }, settings),
      nameOf(challenge, swapped, settings),
      nameOf(challenge, workload, { ...settings, domain: "other.example.com" }),
    ];
    expect(new Set(names).size).toBe(names.length);
  });

  test.for(["c".repeat(64), `${"c".repeat(41)}.-${"d".repeat(10)}`])("has a name that fits: %s", (long) => {
    expect(isDNS1123Label(nameOf({ ...challenge, name: long }, workload, settings))).toBe(true);
  });
});

test("only what an instance runs is recorded of a Challenge, never its static flag", () => {
  const spec: ChallengeSpec = {
    ...workload,
    flag: "flag{static}",
    flags: [{ type: "static", content: "flag{other}", caseInsensitive: false }],
    description: "A jar",
    owners: [],
    dynamicFlagMode: "suffix",
    prerequisites: [],
    hints: [],
    categories: [],
    tags: [],
    attachments: [],
  };
  expect(workloadOf(spec)).toEqual(workload);
});

describe("a recorded revision", () => {
  const stored = (data?: unknown) => ({
    apiVersion: apiVersionOf(ControllerRevisions),
    kind: ControllerRevisions.kind,
    metadata: { name: "cookie-jar-1" },
    revision: 1,
    ...(data !== undefined && { data }),
  });

  const { data: whole } = JSON.parse(JSON.stringify(revisionOf(challenge, workload, settings)));
  const read = (data?: unknown) => readRevision(stored(data), settings);

  test("is read back as it was recorded, and is the same object each time", () => {
    expect(read(whole)).toEqual({ challenge, workload, settings });
    expect(read(whole)).toBe(whole);
  });

  test("that is older than the Challenge in it is read as it is", () => {
    expect(read({ workload, settings })).toEqual({ workload, settings });
  });

  test.for(pathsIn(settings))("that is older than the setting %s has its default", (path) => {
    expect(read({ ...whole, settings: without(settings, path) })).toEqual(whole);
  });

  test("that is older than a setting keeps all others as they were recorded", () => {
    const others = { ...settings, domain: "old.example.com", gateway: { ...settings.gateway, name: "old" } };
    expect(read({ ...whole, settings: without(others, ["gateway", "httpTls"]) }).settings).toEqual(others);
  });

  test.for([
    { data: undefined, problem: "it has no data" },
    { data: "text", problem: "it has no data" },
    { data: { settings }, problem: "data.workload.containers is not a list" },
    { data: { workload: { containers: {} }, settings }, problem: "data.workload.containers is not a list" },
    { data: { workload }, problem: "data.settings is missing" },
  ])("that cannot be used is refused: $problem", ({ data, problem }) => {
    expect(() => read(data)).toThrow(`cannot read ControllerRevision "cookie-jar-1": ${problem}; `);
  });
});
