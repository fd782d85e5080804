/** How soon the controller works after its process was killed, and at a first start: without waiting for a lease. */
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { type Client, createClient, Leases } from "@berg/kube";
import { ChallengeInstances } from "@berg/resources";
import { type ControlPlane, missingControlPlane, startControlPlane } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { applyAll } from "./testing/installed.ts";
import { kubeconfigOf, Replica } from "./testing/replica.ts";

describe.skipIf(await missingControlPlane())("the controller of a pod", () => {
  let controlPlane: ControlPlane;
  let admin: Client;
  let env: Record<string, string>;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ scheduler: false });
    admin = createClient({ connection: controlPlane.connection });
    await applyAll(controlPlane);
    const KUBECONFIG = await kubeconfigOf(controlPlane, admin, { name: "berg-controller", namespace: "berg" });
    env = { KUBECONFIG, POD_NAMESPACE: "berg", NETWORK_POLICY: "kubernetes" };
  });
  afterAll(async () => {
    await admin?.close();
    await controlPlane?.stop();
  });

  const holder = async () => (await admin.get(Leases, "berg", "berg-controller")).spec?.holderIdentity;

  async function leads(replica: Replica): Promise<void> {
    await expect.poll(() => replica.said("leading"), { timeout: 60_000 }).toBe(true);
  }

  test("leads without waiting where there was no lease, and again after kill -9; another pod waits", async () => {
    await admin.delete(Leases, "berg", "berg-controller");
    const pod = { ...env, POD_UID: "5f0c0c5e-46a8-4d8d-8a2b-6a4a3a1d5c01", HEALTH_PORT: String(await freePort()) };
    const first = new Replica("controller", pod);
    await leads(first);
    expect(first.said("waiting for the lease")).toBe(false);
    const own = await holder();
    expect(own).toContain(`${pod.POD_UID}_${pod.HEALTH_PORT}`);
    await first.kill();

    const second = new Replica("controller", pod);
    await leads(second);
    expect(second.said("waiting for the lease")).toBe(false);
    expect(await holder()).toBe(own);

    const spec = {
      ownerId: "0190b5a4-7c1e-7d3a-8f00-0123456789ab",
      challengeRef: { name: "none" },
      renewals: 0,
      restarts: 0,
    };
    await admin.create(ChallengeInstances, { metadata: { namespace: "berg", name: "one" }, spec });
    const phase = async () => (await admin.get(ChallengeInstances, "berg", "one")).status?.phase;
    await expect.poll(phase, { timeout: 30_000 }).toBe("Failed");
    await second.kill();

    const other = new Replica("controller", { ...pod, POD_UID: "5f0c0c5e-46a8-4d8d-8a2b-6a4a3a1d5c02" });
    await expect.poll(() => other.said("waiting for the lease"), { timeout: 60_000 }).toBe(true);
    await leads(other);
    expect(await holder()).not.toBe(own);
  });

  test("does not start beside another process of the same pod, which would have its identity", async () => {
    const pod = { ...env, POD_UID: "5f0c0c5e-46a8-4d8d-8a2b-6a4a3a1d5c03", HEALTH_PORT: String(await freePort()) };
    const first = new Replica("controller", pod);
    await expect.poll(() => first.said("caches are filled"), { timeout: 60_000 }).toBe(true);
    const second = new Replica("controller", pod);
    expect((await second.exit)[0]).not.toBe(0);
    expect(second.said("waiting for the lease") || second.said("leading")).toBe(false);
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
