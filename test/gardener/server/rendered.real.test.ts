/** What the Cluster operator asks Gardener for, put to Gardener's own server: taken, and left alone once it is there. */
import { defineResource, type KubeObject, type Stored } from "@berg/apimachinery";
import type { Cluster, ClusterInfrastructure } from "@berg/resources";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { authenticationOf, configMapOf } from "../../../packages/clusters/src/cluster/oidc/authentication.ts";
import type { Provider } from "../../../packages/clusters/src/cluster/providers/provider.ts";
import { providerOf } from "../../../packages/clusters/src/cluster/providers/providers.ts";
import { renderShoot } from "../../../packages/clusters/src/cluster/shoot/render.ts";
import { withChanges } from "../../../packages/clusters/src/cluster/shoot/with-changes.ts";
import { makeCluster } from "../../../packages/clusters/src/cluster/testing/make-objects.ts";
import type { ShootSpec } from "../../../packages/clusters/src/gardener/kinds.ts";
import { missingControlPlane } from "../../control-plane/binaries.ts";
import { fillPool } from "../accounts/accounts.ts";
import { startGarden, type TestGarden } from "../garden.ts";
import { Shoots, type TestShoot } from "../kinds.ts";
import { missingGardener } from "./binary.ts";

const clouds = [
  {
    provider: "aws",
    region: "eu-central-1",
    machineType: "m5.large",
    zones: ["eu-central-1a", "eu-central-1b", "eu-central-1c"],
  },
  { provider: "azure", region: "westeurope", machineType: "Standard_D2s_v5", zones: ["1", "2", "3"] },
  {
    provider: "gcp",
    region: "europe-west3",
    machineType: "n2-standard-2",
    zones: ["europe-west3-a", "europe-west3-b"],
  },
] as const;

/** Whatever Gardener does not know is a mistake. */
const strict = { fieldValidation: "Strict" } as const;
const ConfigMaps = defineResource<KubeObject & { data?: Record<string, string> }>({
  group: "",
  version: "v1",
  resource: "configmaps",
  kind: "ConfigMap",
  namespaced: true,
});

describe.skipIf((await missingControlPlane()) ?? missingGardener())("a Shoot of ours", () => {
  let garden: TestGarden;
  beforeAll(async () => {
    garden = await startGarden({ gardener: "real" });
    await fillPool(
      garden,
      clouds.map(({ provider }) => ({ name: provider, provider, labels: {} })),
    );
  });
  afterAll(() => garden?.stop());

  const wantedFor = (cloud: (typeof clouds)[number], cluster: Stored<Cluster>) => ({
    cluster,
    infrastructure: cluster.spec.infrastructure as ClusterInfrastructure,
    provider: providerOf(cloud.provider) as Provider,
    zones: cloud.zones,
    authentication: undefined,
  });

  test.each(clouds)("for $provider is taken, and nothing is left to change then", async (cloud) => {
    const { provider, region, machineType, zones } = cloud;
    const cluster = makeCluster({
      spec: { core: { purpose: "Production", region } },
      infrastructure: { provider, machineType, numberOfZones: zones.length },
    });
    const wanted = wantedFor(cloud, cluster);
    const spec = renderShoot(wanted, { kind: "CredentialsBinding", name: provider });
    const metadata = { name: `c-${provider}`, namespace: garden.namespace };
    const made = await garden.client.create(Shoots, { metadata, spec: spec as TestShoot["spec"] }, strict);
    const live = made.spec as unknown as ShootSpec;
    expect(withChanges(live, wanted, "no-such-map")).toEqual(live);
  });

  test("with sign-in, high availability and everything else is taken as well, and may grow", async () => {
    const [cloud] = clouds;
    const oidcConfig = {
      issuerURL: "https://issuer.test",
      clientID: "berg",
      usernameClaim: "sub",
      groupsClaim: "groups",
    };
    const cluster = makeCluster({
      spec: {
        core: {
          purpose: "Production",
          region: cloud.region,
          kubernetesVersion: "1.33.6",
          highAvailability: "zone",
          maintenance: {
            timeWindow: { begin: "200000+0000", end: "220000+0000" },
            autoUpdate: { kubernetesVersion: false, machineImageVersion: true },
          },
        },
        extensions: { shootNetworkingFilterDisabled: true },
        oidcConfig,
      },
      infrastructure: { machineType: cloud.machineType, volume: { type: "gp3", size: "80Gi" } },
    });
    const authentication = authenticationOf(oidcConfig, "c-all");
    if (!authentication) throw new Error("there is no configuration for sign-in");
    const map = configMapOf(authentication, garden.namespace, { labels: {}, annotations: {} });
    await garden.client.create(ConfigMaps, map);
    const wanted = { ...wantedFor(cloud, cluster), authentication: authentication.configMapName };
    const spec = renderShoot(
      { ...wanted, zones: cloud.zones.slice(0, 2) },
      { kind: "CredentialsBinding", name: "aws" },
    );
    const metadata = { name: "c-all", namespace: garden.namespace };
    const made = await garden.client.create(Shoots, { metadata, spec: spec as TestShoot["spec"] }, strict);
    const grown = withChanges(made.spec as unknown as ShootSpec, wanted, authentication.configMapName);
    const changed = await garden.client.update(Shoots, { ...made, spec: grown as TestShoot["spec"] }, strict);
    const live = changed.spec as unknown as ShootSpec;
    expect(live.provider.workers?.[0]?.zones).toEqual(cloud.zones);
    expect(withChanges(live, wanted, authentication.configMapName)).toEqual(live);
  });
});
