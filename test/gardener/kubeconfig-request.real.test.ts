/** The kubeconfigs that a garden gives, tried on the cluster that they are for. */
import { writeFile } from "node:fs/promises";
import { isForbidden, isInvalid, isNotFound } from "@berg/apimachinery";
import { type Client, createClient, unlimited } from "@berg/kube";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { userWithNewToken } from "../control-plane/credentials.ts";
import { fillPool } from "./accounts/accounts.ts";
import { startGarden, type TestGarden } from "./garden.ts";
import { type Gardenlet, startGardenlet } from "./gardenlet/gardenlet.ts";
import { Shoots } from "./kinds.ts";
import { onEachGarden } from "./on-each-garden.ts";
import { sampleShoot } from "./samples.ts";

interface Answered {
  status: { kubeconfig: string; expirationTimestamp: string };
}

onEachGarden((gardener) => {
  const jane = userWithNewToken("jane");
  let garden: TestGarden;
  let gardenlet: Gardenlet;
  let client: Client;
  let unprivileged: Client;
  beforeAll(async () => {
    garden = await startGarden({ gardener, targets: 1, users: [jane] });
    await fillPool(garden, [{ name: "account", provider: "aws", labels: {} }]);
    client = createClient({ connection: garden.connection, rate: unlimited });
    unprivileged = createClient({ connection: garden.connectWith(jane.token), rate: unlimited });
    gardenlet = await startGardenlet(garden);
    gardenlet.script("unready", { Create: [{ state: "Pending", progress: 0, description: "waiting" }] });
    for (const name of ["unready", "ready"]) await client.create(Shoots, sampleShoot(garden.namespace, name));
    await vi.waitFor(() => ask("ready"), { timeout: 30_000, interval: 200 });
  });
  afterAll(async () => {
    await gardenlet?.stop();
    await client?.close();
    await unprivileged?.close();
    await garden?.stop();
  });

  const ask = (name: string, expirationSeconds?: number, of = client, who: "admin" | "viewer" = "admin") =>
    of.createSubresource<Answered>(Shoots, garden.namespace, name, `${who}kubeconfig`, {
      apiVersion: "authentication.gardener.cloud/v1alpha1",
      kind: who === "admin" ? "AdminKubeconfigRequest" : "ViewerKubeconfigRequest",
      spec: { ...(expirationSeconds !== undefined && { expirationSeconds }) },
    });
  const lifeOf = ({ status }: Answered) => (Date.parse(status.expirationTimestamp) - Date.now()) / 1000;
  const textOf = ({ status }: Answered) => Buffer.from(status.kubeconfig, "base64").toString("utf8");
  const kubectl = async (given: Answered, ...args: string[]) => {
    const file = `${garden.kubeconfig}.given`;
    await writeFile(file, textOf(given), { mode: 0o600 });
    return garden.targets[0]?.controlPlane.kubectl([...args, `--kubeconfig=${file}`]) ?? "";
  };
  const identityOf = async (given: Answered) =>
    JSON.parse(await kubectl(given, "auth", "whoami", "--output=json")).status.userInfo as {
      username: string;
      groups: string[];
    };

  test("make an administrator, for an hour", async () => {
    const given = await ask("ready");
    expect(lifeOf(given)).toBeGreaterThan(3500);
    expect(lifeOf(given)).toBeLessThanOrEqual(3600);
    expect((await identityOf(given)).username).toBe("gardener.cloud:admin:admin");
    expect(await kubectl(given, "auth", "can-i", "*", "*")).toBe("yes\n");
  });

  test("have one cluster for each address of the API server, and no other", async () => {
    const { clusters, users, contexts } = parse(textOf(await ask("ready")));
    const names = ["external", "internal"].map((address) => `${garden.namespace}--ready-${address}`);
    expect(clusters.map(({ name }: { name: string }) => name)).toEqual(names);
    expect(contexts.map(({ name }: { name: string }) => name)).toEqual(names);
    expect(users).toHaveLength(1);
    expect(clusters[0].cluster.server).toBe(garden.targets[0]?.server);
  });

  test("hold for ten minutes at least, and a day at most, without a word", async () => {
    await expect(ask("ready", 599)).rejects.toSatisfy(isInvalid);
    expect(lifeOf(await ask("ready", 600))).toBeLessThanOrEqual(600);
    expect(lifeOf(await ask("ready", 7 * 24 * 3600))).toBeLessThanOrEqual(24 * 3600);
  });

  test("are not given without an address, a CA or a Shoot", async () => {
    await expect(ask("unready")).rejects.toSatisfy(isInvalid);
    await expect(ask("nowhere")).rejects.toSatisfy(isNotFound);
    garden.loseCa("ready");
    await expect(ask("ready", 600)).rejects.toThrow("could not get client CA secret");
    garden.loseCa("ready", false);
    expect(await ask("ready", 600)).toHaveProperty("status.kubeconfig");
  });

  test("are given to whoever RBAC of the garden allows it, with less for less", async () => {
    await expect(ask("ready", 600, unprivileged)).rejects.toSatisfy(isForbidden);
    const { kubectl: admin } = garden.controlPlane;
    const resources = ["adminkubeconfig", "viewerkubeconfig"].map((one) => `shoots.core.gardener.cloud/${one}`);
    const inProject = ["--namespace", garden.namespace];
    await admin(["create", "role", "kubeconfigs", "--verb=create", `--resource=${resources.join()}`, ...inProject]);
    await admin(["create", "rolebinding", "jane", "--role=kubeconfigs", "--user=jane", ...inProject]);
    const given = await vi.waitFor(() => ask("ready", 600, unprivileged), { timeout: 20_000, interval: 500 });
    const { username, groups } = await identityOf(given);
    expect(username).toBe("gardener.cloud:admin:jane");
    expect(groups).toContain("gardener.cloud:project:admins");
    const viewer = await ask("ready", 600, unprivileged, "viewer");
    expect((await identityOf(viewer)).username).toBe("gardener.cloud:viewer:jane");
    await expect(kubectl(viewer, "create", "namespace", "mine")).rejects.toThrow("forbidden");
  });
});
