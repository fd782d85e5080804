import { type Client, createClient, unlimited } from "@berg/kube";
import { type ControlPlane, missingControlPlane, startControlPlane } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { customResourceDefinitions } from "./crd.ts";
import { ChallengeInstances, ContainerNetworks, ContainerNetworkTunnelProxies, definitions } from "./definitions.ts";
import { crdFolder } from "./generate.ts";
import { describeCrds } from "./testing/describe-crds.ts";

const start = () => startControlPlane({ controllerManager: false, scheduler: false });

describe.skipIf(await missingControlPlane())("the CRDs on a real API server", () => describeCrds(start));

describe.skipIf(await missingControlPlane())("the CRDs for people with kubectl", () => {
  let controlPlane: ControlPlane;
  let client: Client;
  const kubectl = (...args: string[]) => controlPlane.kubectl(args);

  beforeAll(async () => {
    controlPlane = await start();
    client = createClient({ connection: controlPlane.connection, rate: unlimited });
    await kubectl("apply", "--server-side", "--filename", crdFolder);
    const names = customResourceDefinitions().map(({ metadata }) => `crd/${metadata.name}`);
    await kubectl("wait", "--for=condition=Established", ...names);
    // Established comes a moment before the first request is served.
    for (const { resource } of definitions) {
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
      spec: { challengeRef: { name: "web" }, ownerId: owner, renewals: 0 },
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

  test("explain every field", async () => {
    const text = await kubectl("explain", "challengeinstance.spec.challengeRef");
    expect(text).toContain("Namespace of the Challenge.");
    expect(await kubectl("explain", "cntp.spec.tunnels.clientProxyPort")).toContain("Port on the container network");
    for (const { singular } of definitions) {
      expect(await kubectl("explain", singular, "--recursive")).toContain("spec");
    }
  });
});
