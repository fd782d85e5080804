import { clusterProviders } from "@berg/resources";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aws } from "./aws.ts";
import { azure } from "./azure.ts";
import { overlap, parseRange, type Range } from "./cidr.ts";
import { gcp } from "./gcp.ts";
import { providerOf, providerTypes } from "./providers.ts";

const nodes = parseRange("10.250.0.0/16") as Range;

/** Every text in it that is a range. */
function rangesIn(value: unknown): Range[] {
  if (typeof value === "string") return [parseRange(value) ?? []].flat();
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(rangesIn);
}

describe("what Gardener's extensions are told", () => {
  test("of AWS", () => {
    const zones = ["eu-central-1a", "eu-central-1b", "eu-central-1c", "eu-central-1d"];
    expect(aws.infrastructureConfig({ nodes, zones })).toMatchInlineSnapshot(`
      {
        "apiVersion": "aws.provider.extensions.gardener.cloud/v1alpha1",
        "kind": "InfrastructureConfig",
        "networks": {
          "vpc": {
            "cidr": "10.250.0.0/16",
          },
          "zones": [
            {
              "internal": "10.250.48.0/20",
              "name": "eu-central-1a",
              "public": "10.250.32.0/20",
              "workers": "10.250.0.0/19",
            },
            {
              "internal": "10.250.112.0/20",
              "name": "eu-central-1b",
              "public": "10.250.96.0/20",
              "workers": "10.250.64.0/19",
            },
            {
              "internal": "10.250.176.0/20",
              "name": "eu-central-1c",
              "public": "10.250.160.0/20",
              "workers": "10.250.128.0/19",
            },
            {
              "internal": "10.250.200.0/22",
              "name": "eu-central-1d",
              "public": "10.250.196.0/22",
              "workers": "10.250.192.0/22",
            },
          ],
        },
      }
    `);
    expect([aws.controlPlaneConfig({ nodes, zones }), aws.workerConfig]).toMatchInlineSnapshot(`
      [
        {
          "apiVersion": "aws.provider.extensions.gardener.cloud/v1alpha1",
          "kind": "ControlPlaneConfig",
        },
        {
          "apiVersion": "aws.provider.extensions.gardener.cloud/v1alpha1",
          "instanceMetadataOptions": {
            "httpPutResponseHopLimit": 2,
            "httpTokens": "required",
          },
          "kind": "WorkerConfig",
        },
      ]
    `);
  });

  test("of Azure", () => {
    const zones = ["2", "3", "1"];
    expect(azure.infrastructureConfig({ nodes, zones })).toMatchInlineSnapshot(`
      {
        "apiVersion": "azure.provider.extensions.gardener.cloud/v1alpha1",
        "kind": "InfrastructureConfig",
        "networks": {
          "vnet": {
            "cidr": "10.250.0.0/16",
          },
          "zones": [
            {
              "cidr": "10.250.0.0/19",
              "name": 2,
              "natGateway": {
                "enabled": true,
                "idleConnectionTimeoutMinutes": 4,
              },
            },
            {
              "cidr": "10.250.32.0/19",
              "name": 3,
              "natGateway": {
                "enabled": true,
                "idleConnectionTimeoutMinutes": 4,
              },
            },
            {
              "cidr": "10.250.64.0/19",
              "name": 1,
              "natGateway": {
                "enabled": true,
                "idleConnectionTimeoutMinutes": 4,
              },
            },
          ],
        },
        "zoned": true,
      }
    `);
    expect(azure.controlPlaneConfig({ nodes, zones })).toMatchInlineSnapshot(`
      {
        "apiVersion": "azure.provider.extensions.gardener.cloud/v1alpha1",
        "kind": "ControlPlaneConfig",
      }
    `);
  });

  test("of Google", () => {
    const zones = ["europe-west3-b", "europe-west3-a"];
    expect(gcp.infrastructureConfig({ nodes, zones })).toMatchInlineSnapshot(`
      {
        "apiVersion": "gcp.provider.extensions.gardener.cloud/v1alpha1",
        "kind": "InfrastructureConfig",
        "networks": {
          "workers": "10.250.0.0/16",
        },
      }
    `);
    expect(gcp.controlPlaneConfig({ nodes, zones })).toMatchInlineSnapshot(`
      {
        "apiVersion": "gcp.provider.extensions.gardener.cloud/v1alpha1",
        "kind": "ControlPlaneConfig",
        "zone": "europe-west3-b",
      }
    `);
  });

  test("knows the three clouds, and no other", () => {
    expect(providerTypes.map((type) => providerOf(type)?.type)).toEqual(["aws", "azure", "gcp"]);
    // What a Cluster can ask for.
    expect([...clusterProviders].sort()).toEqual([...providerTypes].sort());
    expect(providerOf("openstack")).toBeUndefined();
  });
});

describe.each([aws, azure])("the subnets of zones with $type", (provider) => {
  const networks = fc
    .tuple(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 16, max: 24 }), fc.integer({ min: 1, max: 8 }))
    .map(([second, prefix, zones]) => ({ nodes: { first: 10 * 2 ** 24 + second * 2 ** 16, prefix }, zones }))
    .filter(({ nodes, zones }) => provider.roomProblem(nodes, zones) === undefined);

  function subnets(nodes: Range, zones: number): Range[] {
    const names = Array.from({ length: zones }, (_, at) => `${at + 1}`);
    const { networks } = provider.infrastructureConfig({ nodes, zones: names }) as unknown as {
      networks: { zones: object[] };
    };
    return networks.zones.flatMap(rangesIn);
  }

  test("are in the network of the nodes, do not overlap, and are large enough for the cloud", () => {
    fc.assert(
      fc.property(networks, ({ nodes, zones }) => {
        const ranges = subnets(nodes, zones);
        expect(ranges).toHaveLength(provider === aws ? zones * 3 : zones);
        for (const [at, one] of ranges.entries()) {
          expect(one.prefix).toBeLessThanOrEqual(28);
          expect(
            one.first >= nodes.first && one.first + 2 ** (32 - one.prefix) <= nodes.first + 2 ** (32 - nodes.prefix),
          ).toBe(true);
          for (const other of ranges.slice(at + 1)) expect(overlap(one, other)).toBe(false);
        }
      }),
    );
  });

  test("stay where they are when a zone is added", () => {
    fc.assert(
      fc.property(networks, ({ nodes, zones }) => {
        const more = subnets(nodes, zones);
        const fewer = subnets(nodes, Math.max(1, zones - 1));
        expect(more.slice(0, fewer.length)).toEqual(fewer);
      }),
    );
  });
});

test.each([
  { provider: aws, cidr: "10.0.0.0/15", zones: 1, says: "/15" },
  { provider: aws, cidr: "10.0.0.0/25", zones: 1, says: "/25" },
  { provider: aws, cidr: "10.0.0.0/23", zones: 4, says: "/22 or larger" },
  { provider: aws, cidr: "10.0.0.0/16", zones: 9, says: "room for 8" },
  { provider: azure, cidr: "10.0.0.0/16", zones: 4, says: "Azure has 3" },
  { provider: azure, cidr: "10.0.0.0/25", zones: 1, says: "/25" },
  { provider: gcp, cidr: "10.0.0.0/30", zones: 1, says: "/30" },
])("$zones zones of $provider.type in $cidr: $says", ({ provider, cidr, zones, says }) => {
  expect(provider.roomProblem(parseRange(cidr) as Range, zones)).toContain(says);
});
