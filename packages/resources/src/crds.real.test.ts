import { type Client, createClient, unlimited } from "@berg/kube";
import { type ControlPlane, missingControlPlane, startControlPlane } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Clusters, KubeconfigRequests } from "./cluster-definitions.ts";
import { clusterResourceDefinitions, customResourceDefinitions } from "./crd.ts";
import { ChallengeInstances, ContainerNetworks, ContainerNetworkTunnelProxies } from "./definitions.ts";
import { clusterCrdFolder, crdFolder } from "./generate.ts";
import { allDefinitions } from "./testing/definition-of.ts";
import { describeCrds } from "./testing/describe-crds.ts";

const start = () => startControlPlane({ controllerManager: false, scheduler: false });

const all = [...customResourceDefinitions(), ...clusterResourceDefinitions()];

describe.skipIf(await missingControlPlane())("the CRDs on a real API server", () => describeCrds(start, all));

describe.skipIf(await missingControlPlane())("the CRDs for people with kubectl", () => {
  let controlPlane: ControlPlane;
  let client: Client;
  let installedByDefault: string;
  const kubectl = (...args: string[]) => controlPlane.kubectl(args);

  beforeAll(async () => {
    controlPlane = await start();
    client = createClient({ connection: controlPlane.connection, rate: unlimited });
    await kubectl("apply", "--server-side", "--filename", crdFolder);
    installedByDefault = await kubectl("get", "crd", "--output", "name");
    await kubectl("apply", "--server-side", "--kustomize", clusterCrdFolder);
    const names = all.map(({ metadata }) => `crd/${metadata.name}`);
    await kubectl("wait", "--for=condition=Established", ...names);
    // Established comes a moment before the first request is served.
    for (const { resource } of allDefinitions) {
      await vi.waitFor(() => kubectl("get", resource.resource), { timeout: 60_000, interval: 100 });
    }
  });

  afterAll(async () => {
    await client?.close();
    await controlPlane?.stop();
  });

  /** What `kubectl get` prints, with one space between columns. */
  async function table(...args: string[]): Promise<string[]> {
    const lines = (await kubectl("get", ...args)).trim().split("\n");
    return lines.map((line) => line.replace(/\s+/g, " ").trim());
  }

  test("show when an instance expires, and find the instances of an owner", async () => {
    const metadata = { name: "shown", namespace: "default" };
    const owner = "0191e7a4-5f0c-7b3e-9d2a-4c6f8e1b2fff";
    const expiresAt = "2999-01-01T00:00:00Z";
    await client.create(ChallengeInstances, {
      metadata,
      spec: { challengeRef: { name: "web" }, ownerId: owner, renewals: 0, restarts: 0 },
    });
    await client.patch(
      ChallengeInstances,
      "default",
      "shown",
      { type: "merge", body: { status: { phase: "Running", namespace: "challenge-x", expiresAt } } },
      { subresource: "status" },
    );
    expect(await table("ci", "--field-selector", `spec.ownerId=${owner},status.phase=Running`)).toEqual([
      "NAME CHALLENGE OWNER PHASE NAMESPACE AGE EXPIRES",
      expect.stringMatching(`^shown web ${owner} Running challenge-x \\d+s ${expiresAt}$`),
    ]);
  });

  test("show the state of networks and tunnels, and find the tunnels of a network", async () => {
    await client.create(ContainerNetworks, { metadata: { name: "net" }, spec: { mode: "session", ipv6: false } });
    await client.create(ContainerNetworkTunnelProxies, {
      metadata: { name: "pair" },
      spec: { containerNetworkName: "net", tunnels: [], baseImage: "base" },
    });
    const patched = { subresource: "status" } as const;
    const network = { state: "Running", networkName: "berg-net", subnets: ["10.89.0.0/24"], message: "all is well" };
    const pair = { state: "Running", tunnelConfigurationVersion: 7, message: "all is well" };
    const merged = (status: object) => ({ type: "merge", body: { status } }) as const;
    await client.patch(ContainerNetworks, "", "net", merged(network), patched);
    await client.patch(ContainerNetworkTunnelProxies, "", "pair", merged(pair), patched);
    expect(await table("ctrnet", "--field-selector", "spec.mode=session,status.state=Running")).toEqual([
      "NAME MODE STATE NETWORK SUBNET AGE",
      expect.stringMatching(/^net session Running berg-net 10.89.0.0\/24 \d+s$/),
    ]);
    const selector = "spec.containerNetworkName=net,status.state=Running";
    expect(await table("cntp", "--output", "wide", "--field-selector", selector)).toEqual([
      "NAME NETWORK STATE VERSION MESSAGE AGE",
      expect.stringMatching(/^pair net Running 7 all is well \d+s$/),
    ]);
  });

  test("leave the kinds of berg clusters to those who ask for them", () => {
    for (const { metadata } of customResourceDefinitions()) expect(installedByDefault).toContain(metadata.name);
    for (const { metadata } of clusterResourceDefinitions()) expect(installedByDefault).not.toContain(metadata.name);
  });

  test("show where a cluster is, and find the kubeconfigs of one", async () => {
    const metadata = { name: "finals", namespace: "default" };
    const ref = { name: "finals", key: "kubeconfig" };
    await client.create(Clusters, {
      metadata,
      spec: { byoc: { kubeconfigSecretRef: ref }, administrators: [], deletionPolicy: "Delete" },
    });
    const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["list"] }];
    for (const cluster of ["finals", "other"]) {
      await client.create(KubeconfigRequests, {
        metadata: { name: `${cluster}.viewer`, namespace: "default" },
        spec: { cluster, clusterRole: { rules }, expiration: 600, output: "Secret" },
      });
    }
    const patched = { subresource: "status" } as const;
    const merged = (status: object) => ({ type: "merge", body: { status } }) as const;
    const conditions = [{ type: "ClusterProvisioned", status: "True", reason: "ExternallyProvided", message: "here" }];
    await client.patch(Clusters, "default", "finals", merged({ phase: "Ready", conditions }), patched);
    const expirationTimestamp = "2999-01-01T00:00:00Z";
    const issued = { phase: "Issued", secretRef: ref, expirationTimestamp };
    await client.patch(KubeconfigRequests, "default", "finals.viewer", merged(issued), patched);
    expect(await table("kcl", "--output", "wide", "--field-selector", "status.phase=Ready")).toEqual([
      "NAME PHASE PROVIDER REGION SHOOT PROGRESS MESSAGE AGE",
      expect.stringMatching(/^finals Ready here \d+s$/),
    ]);
    expect(await table("kcr", "--field-selector", "spec.cluster=finals")).toEqual([
      "NAME CLUSTER PHASE SECRET EXPIRES AGE",
      expect.stringMatching(`^finals.viewer finals Issued finals ${expirationTimestamp} \\d+s$`),
    ]);
  });

  test("explain every field", async () => {
    const text = await kubectl("explain", "challengeinstance.spec.challengeRef");
    expect(text).toContain("Namespace of the Challenge.");
    expect(await kubectl("explain", "cntp.spec.tunnels.clientProxyPort")).toContain("Port on the container network");
    for (const { singular } of allDefinitions) {
      expect(await kubectl("explain", singular, "--recursive")).toContain("spec");
    }
  });
});
