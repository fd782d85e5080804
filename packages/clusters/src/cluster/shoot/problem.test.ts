import { describe, expect, test } from "vitest";
import type { CloudProfile } from "../../gardener/kinds.ts";
import type { Provider } from "../providers/provider.ts";
import { providerOf } from "../providers/providers.ts";
import { someInfrastructure } from "../testing/make-objects.ts";
import { profile as plain } from "../testing/make-seen.ts";
import { machineProblem, nameProblem, networkProblem, zonesFor } from "./problem.ts";

const aws = providerOf("aws") as Provider;
const profile: CloudProfile = {
  ...plain,
  spec: { ...plain.spec, machineTypes: [{ name: "m5.large" }, { name: "old", usable: false }] },
};
const asked = { uid: "u", region: "eu-central-1", infrastructure: someInfrastructure, provider: aws, zones: [] };

describe("zones that are asked for", () => {
  test("are found", () => {
    expect(zonesFor(asked, "aws", profile)).toMatchObject({ zones: expect.arrayContaining(["eu-central-1a"]) });
  });

  test("are those that are named, after those that it has", () => {
    const infrastructure = { ...someInfrastructure, numberOfZones: 2, zones: ["eu-central-1c", "eu-central-1a"] };
    expect(zonesFor({ ...asked, infrastructure }, "aws", profile)).toEqual({ zones: infrastructure.zones });
    const zones = ["eu-central-1b"];
    expect(zonesFor({ ...asked, infrastructure, zones }, "aws", profile)).toEqual({
      zones: [...zones, ...infrastructure.zones],
    });
  });

  test.each([
    {
      name: "in a region that is not there",
      change: { region: "mars" },
      reason: "UnknownRegion",
      says: "eu-central-1",
    },
    {
      name: "more than there are",
      change: { infrastructure: { ...someInfrastructure, numberOfZones: 4 } },
      reason: "TooFewZones",
      says: "has 3 zones",
    },
    {
      name: "by a name that is none",
      change: { infrastructure: { ...someInfrastructure, zones: ["mars-1"] } },
      reason: "UnknownZone",
      says: "mars-1",
    },
    {
      name: "of another cloud",
      change: { provider: providerOf("gcp") as Provider },
      reason: "UnknownCloudProfile",
      says: "is for aws",
    },
  ])("$name: $reason", ({ change, reason, says }) => {
    expect(zonesFor({ ...asked, ...change }, "aws", profile)).toEqual({
      problem: { reason, message: expect.stringContaining(says) },
    });
  });
});

test("a machine type that is not offered is named with those that are", () => {
  expect(machineProblem("m5.large", "aws", profile)).toBeUndefined();
  for (const type of ["m99", "old"])
    expect(machineProblem(type, "aws", profile)).toEqual({
      reason: "UnknownMachineType",
      message: expect.stringContaining("one of m5.large"),
    });
});

test("a name may be as long as Gardener allows with the project's", () => {
  expect(nameProblem("c-abcdefgh", "elevenchars")).toBeUndefined();
  expect(nameProblem("c-abcdefgh", "twelvechars_")?.message).toContain("21 characters");
});

test.each([
  { networking: {}, says: undefined },
  { networking: { nodes: "10.0.0.1/16" }, says: "nodes is 10.0.0.1/16" },
  { networking: { services: "100.104.0.0/13" }, says: "pods and services overlap" },
  { networking: { pods: "10.0.0.0/8" }, says: "nodes and pods overlap" },
  { networking: { nodes: "10.250.0.0/25" }, says: "too little room" },
])("networks $networking: $says", ({ networking, says }) => {
  const infrastructure = { ...someInfrastructure, networking: { ...someInfrastructure.networking, ...networking } };
  const problem = networkProblem(infrastructure, aws, 3);
  if (says === undefined) expect(problem).toBeUndefined();
  else expect(problem?.message).toContain(says);
});
