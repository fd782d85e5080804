import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ShootSpec } from "../../gardener/kinds.ts";
import { account, makeCluster, wantedOf } from "../testing/make-objects.ts";
import { renderShoot } from "./render.ts";
import { withChanges } from "./with-changes.ts";

const own = "red-authentication";
const cluster = makeCluster();
const made = renderShoot(wantedOf(cluster), account);

function worker(spec: ShootSpec) {
  return spec.provider.workers?.[0];
}

test("a Shoot is rendered as Gardener wants it", () => {
  const oidc = { ...wantedOf(cluster), authentication: own };
  expect(renderShoot(oidc, account)).toMatchInlineSnapshot(`
    {
      "cloudProfile": {
        "kind": "CloudProfile",
        "name": "aws",
      },
      "credentialsBindingName": "account-1",
      "kubernetes": {
        "kubeAPIServer": {
          "structuredAuthentication": {
            "configMapName": "red-authentication",
          },
        },
      },
      "networking": {
        "nodes": "10.250.0.0/16",
        "pods": "100.96.0.0/11",
        "services": "100.64.0.0/13",
        "type": "calico",
      },
      "provider": {
        "controlPlaneConfig": {
          "apiVersion": "aws.provider.extensions.gardener.cloud/v1alpha1",
          "kind": "ControlPlaneConfig",
        },
        "infrastructureConfig": {
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
            ],
          },
        },
        "type": "aws",
        "workers": [
          {
            "machine": {
              "type": "m5.2xlarge",
            },
            "maxSurge": 3,
            "maxUnavailable": 0,
            "maximum": 5,
            "minimum": 3,
            "name": "cpu-worker-0",
            "providerConfig": {
              "apiVersion": "aws.provider.extensions.gardener.cloud/v1alpha1",
              "instanceMetadataOptions": {
                "httpPutResponseHopLimit": 2,
                "httpTokens": "required",
              },
              "kind": "WorkerConfig",
            },
            "volume": {
              "size": "80Gi",
              "type": "gp3",
            },
            "zones": [
              "eu-central-1a",
              "eu-central-1b",
              "eu-central-1c",
            ],
          },
        ],
      },
      "purpose": "production",
      "region": "eu-central-1",
    }
  `);
});

test("an account of the older kind is named in the older field", () => {
  const { secretBindingName, credentialsBindingName } = renderShoot(wantedOf(cluster), {
    kind: "SecretBinding",
    name: "old",
  });
  expect([secretBindingName, credentialsBindingName]).toEqual(["old", undefined]);
});

describe("a Shoot that is there", () => {
  test("is left as it is where nothing has changed", () => {
    expect(withChanges(made, wantedOf(cluster), own)).toEqual(made);
  });

  test("keeps what Gardener and people have put there", () => {
    const live: ShootSpec = {
      ...made,
      seedName: "seed-1",
      hibernation: { enabled: true },
      dns: { domain: "x.example.com" },
      extensions: [{ type: "shoot-dns-service" }],
      kubernetes: { version: "1.34.2", kubeAPIServer: { eventTTL: "1h" }, kubelet: {} },
      maintenance: { timeWindow: { begin: "220000+0100", end: "230000+0100" }, confineSpecUpdateRollout: true },
      provider: {
        ...made.provider,
        infrastructureConfig: { ...made.provider.infrastructureConfig, ignoreTags: { keys: ["x"] } } as never,
        workers: [
          {
            ...(worker(made) as NonNullable<ReturnType<typeof worker>>),
            machine: { type: "m5.2xlarge", image: { name: "gardenlinux", version: "1592.4.0" }, architecture: "amd64" },
            cri: { name: "containerd" },
          },
          { name: "theirs", machine: { type: "g4" }, minimum: 0, maximum: 1 },
        ],
      },
    };
    expect(withChanges(live, wantedOf(cluster), own)).toEqual(live);
  });

  test.each([
    { wanted: "1.33", live: "1.33.4", becomes: "1.33.4" },
    { wanted: "1.33.1", live: "1.33.4", becomes: "1.33.4" },
    { wanted: "1.32", live: "1.33.4", becomes: "1.33.4" },
    { wanted: "1.34", live: "1.33.4", becomes: "1.34" },
    { wanted: "1.33.10", live: "1.33.9", becomes: "1.33.10" },
    { wanted: undefined, live: "1.33.4", becomes: "1.33.4" },
    { wanted: "1.33", live: undefined, becomes: "1.33" },
  ])("of Kubernetes $live, asked for $wanted, becomes $becomes", ({ wanted, live, becomes }) => {
    const core = {
      purpose: "production",
      region: "eu-central-1",
      ...(wanted !== undefined && { kubernetesVersion: wanted }),
    };
    const kubernetes = live === undefined ? {} : { version: live };
    const asked = wantedOf(makeCluster({ spec: { core } }));
    expect(withChanges({ ...made, kubernetes }, asked, own).kubernetes?.version).toBe(becomes);
  });

  test("takes over what may be changed", () => {
    const changed = makeCluster({
      spec: {
        core: { purpose: "Testing", region: "eu-central-1", highAvailability: "zone" },
        extensions: { shootNetworkingFilterDisabled: true },
      },
      infrastructure: { machineType: "m6.large", autoScalerMin: 1, autoScalerMax: 9, volume: { size: "100Gi" } },
    });
    const next = withChanges(made, wantedOf(changed), own);
    expect(next).toMatchObject({
      purpose: "testing",
      controlPlane: { highAvailability: { failureTolerance: { type: "zone" } } },
      extensions: [{ type: "shoot-networking-filter", disabled: true }],
    });
    expect(worker(next)).toMatchObject({
      machine: { type: "m6.large" },
      minimum: 1,
      maximum: 9,
      volume: { type: "gp3", size: "100Gi" },
    });
    const without = makeCluster({ spec: { core: { purpose: "Testing", region: "eu-central-1" } } });
    expect(withChanges(next, wantedOf(without), own).controlPlane).toEqual(next.controlPlane);
  });

  test("grows by zones, and never loses one", () => {
    const four = [...wantedOf(cluster).zones, "eu-central-1d"];
    const grown = withChanges(made, wantedOf(cluster, four), own);
    expect(worker(grown)?.zones).toEqual(four);
    const zones = ({ provider }: ShootSpec) =>
      (provider.infrastructureConfig as { networks?: { zones: object[] } }).networks?.zones ?? [];
    expect(zones(grown).slice(0, 3)).toEqual(zones(made));
    expect(zones(grown)).toHaveLength(4);
    expect(withChanges(grown, wantedOf(cluster), own)).toEqual(grown);
  });

  test("a version of the machines' image that Gardener has moved on to stays", () => {
    const with_ = (version: string) =>
      makeCluster({ infrastructure: { machineImage: { name: "gardenlinux", version } } });
    const first = renderShoot(wantedOf(with_("1592.4.0")), account);
    const moved = withChanges(first, wantedOf(with_("1600.0.0")), own);
    expect(worker(moved)?.machine.image).toEqual({ name: "gardenlinux", version: "1600.0.0" });
    expect(withChanges(moved, wantedOf(with_("1592.4.0")), own)).toEqual(moved);
  });

  test("loses our sign-in when it is not asked for any more, and nobody else's", () => {
    const signIn = (name: string): ShootSpec => ({
      ...made,
      kubernetes: { kubeAPIServer: { eventTTL: "1h", structuredAuthentication: { configMapName: name } } },
    });
    const kept = (spec: ShootSpec) => withChanges(spec, wantedOf(cluster), own).kubernetes?.kubeAPIServer;
    expect(kept(signIn(own))).toEqual({ eventTTL: "1h" });
    expect(kept(signIn("theirs"))).toEqual({ eventTTL: "1h", structuredAuthentication: { configMapName: "theirs" } });
  });

  test("needs one change, and not another after it, whatever was there and whatever is asked for", () => {
    const version = fc.constantFrom("1.32", "1.33", "1.33.4", "1.34.1");
    const asked = fc.record({
      machineType: fc.constantFrom("m5", "m6"),
      autoScalerMin: fc.integer({ min: 1, max: 3 }),
      autoScalerMax: fc.integer({ min: 3, max: 9 }),
      version,
      filter: fc.option(fc.boolean(), { nil: undefined }),
      authentication: fc.constantFrom(undefined, own),
      zones: fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"), { minLength: 1 }),
      size: fc.option(fc.constantFrom("50Gi", "80Gi"), { nil: undefined }),
    });
    const wanted = ({
      version,
      filter,
      authentication,
      zones,
      size,
      ...machines
    }: typeof asked extends fc.Arbitrary<infer T> ? T : never) => ({
      ...wantedOf(
        makeCluster({
          spec: {
            core: { purpose: "production", region: "eu-central-1", kubernetesVersion: version },
            ...(filter !== undefined && { extensions: { shootNetworkingFilterDisabled: filter } }),
          },
          infrastructure: { ...machines, ...(size !== undefined && { volume: { size } }) },
        }),
        zones,
      ),
      authentication,
    });
    fc.assert(
      fc.property(asked, asked, (before, after) => {
        const live = renderShoot(wanted(before), account);
        const once = withChanges(live, wanted(after), own);
        expect(withChanges(once, wanted(after), own)).toEqual(once);
        expect(once.credentialsBindingName).toBe(account.name);
        expect(worker(once)?.zones).toEqual(expect.arrayContaining([...before.zones, ...after.zones]));
      }),
    );
  });
});
