import { describe, expect, test } from "vitest";
import type { Container, PodSpec } from "../types.ts";
import { containerRequests } from "./container-requests.ts";
import { gracePeriod } from "./grace.ts";
import { imageTag } from "./image-name.ts";
import { qualityOfService } from "./quality-of-service.ts";

const digest = "sha256:4355a46b19d348dc2f57c046f8ef63d4538ebb936000f3c9ee954a27460dd865";

test.each([
  ["web", "latest"],
  ["web:latest", "latest"],
  ["web:1.2_3-x", "1.2_3-x"],
  ["example.com/a/b", "latest"],
  ["host:5000/web", "latest"],
  ["host:5000/web:2", "2"],
  [`web@${digest}`, ""],
  [`web:3@${digest}`, "3"],
  ["Web", ""],
  ["", ""],
  ["a b", ""],
  ["web:", ""],
])("the tag of %j is %j", (image, want) => expect(imageTag(image)).toBe(want));

describe("the grace of a pod", () => {
  const runs = {
    spec: { containers: [], nodeName: "n", terminationGracePeriodSeconds: 30 },
    status: { phase: "Running" },
  };
  test.each([
    { what: "its own", pod: runs, wanted: undefined, want: 30 },
    { what: "what is asked for", pod: runs, wanted: 5, want: 5 },
    { what: "none, where that is asked for", pod: runs, wanted: 0, want: 0 },
    { what: "a second at least, of whoever asks for less than none", pod: runs, wanted: -1, want: 1 },
    { what: "none on no node", pod: { ...runs, spec: { containers: [] } }, wanted: 5, want: 0 },
    { what: "none once it has failed", pod: { ...runs, status: { phase: "Failed" } }, wanted: undefined, want: 0 },
    { what: "none once it is done", pod: { ...runs, status: { phase: "Succeeded" } }, wanted: 60, want: 0 },
    {
      what: "none, where it says nothing",
      pod: { ...runs, spec: { containers: [], nodeName: "n" } },
      wanted: undefined,
      want: 0,
    },
  ])("is $what", ({ pod, wanted, want }) =>
    expect(gracePeriod({ metadata: { name: "x" }, ...pod }, wanted)).toBe(want),
  );
});

function container(
  requests: Record<string, string>,
  limits: Record<string, string> = {},
  more: Partial<Container> = {},
): Container {
  return { name: "a", resources: { requests, limits }, ...more };
}

const full = { cpu: "1", memory: "1Gi" };

test.each<{ what: string; spec: Omit<PodSpec, "containers"> & { containers: Container[] }; want: string }>([
  { what: "nothing", spec: { containers: [container({})] }, want: "BestEffort" },
  { what: "nothing but disk", spec: { containers: [container({ "ephemeral-storage": "1Gi" })] }, want: "BestEffort" },
  { what: "zero", spec: { containers: [container({ cpu: "0" })] }, want: "BestEffort" },
  { what: "a little", spec: { containers: [container({ cpu: "1m" })] }, want: "Burstable" },
  { what: "what it is limited to", spec: { containers: [container(full, full)] }, want: "Guaranteed" },
  {
    what: "less than it is limited to",
    spec: { containers: [container({ ...full, cpu: "500m" }, full)] },
    want: "Burstable",
  },
  { what: "one resource alone", spec: { containers: [container({ cpu: "1" }, { cpu: "1" })] }, want: "Burstable" },
  {
    what: "all, but one container nothing",
    spec: { containers: [container(full, full), container({})] },
    want: "Burstable",
  },
  {
    what: "all, but an init container nothing",
    spec: { containers: [container(full, full)], initContainers: [container({})] },
    want: "Burstable",
  },
  {
    what: "all for the pod as a whole",
    spec: { containers: [container({})], resources: { requests: full, limits: full } },
    want: "Guaranteed",
  },
])("a pod that asks for $what is $want", ({ spec, want }) => expect(qualityOfService(spec)).toBe(want));

describe("containers ask together for", () => {
  const cpu = (spec: PodSpec) => containerRequests(spec).get("cpu")?.toString();
  const asks = (amount: string, more: Partial<Container> = {}) => container({ cpu: amount }, {}, more);
  const stays = { restartPolicy: "Always" };

  test.each([
    { what: "what each asks for", spec: { containers: [asks("1"), asks("500m")] }, want: "1500m" },
    {
      what: "what the largest init container asks for",
      spec: { containers: [asks("1")], initContainers: [asks("2"), asks("3")] },
      want: "3",
    },
    { what: "sidecars besides", spec: { containers: [asks("1")], initContainers: [asks("2", stays)] }, want: "3" },
    {
      what: "an init container beside the sidecars before it",
      spec: { containers: [asks("1")], initContainers: [asks("2", stays), asks("4")] },
      want: "6",
    },
    {
      what: "an init container without the sidecars after it",
      spec: { containers: [asks("1")], initContainers: [asks("4"), asks("2", stays)] },
      want: "4",
    },
    { what: "nothing", spec: { containers: [container({})] }, want: undefined },
  ])("$what", ({ spec, want }) => expect(cpu(spec)).toBe(want));
});
