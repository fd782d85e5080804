/** Runs the guide's example as its reader would: as a process, with the rights that it is said to need, on a real server. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ConfigMaps, createClient, kubeconfigFor } from "@berg/kube";
import { type ControlPlane, missingControlPlane, startControlPlane } from "@berg/test";
import { describe, expect, test } from "vitest";

const here = (file: string) => join(import.meta.dirname, file);
const user = { name: "cards", token: "cards-token", groups: [] };

async function startExample(controlPlane: ControlPlane) {
  const kubeconfig = join(controlPlane.directory, "cards.kubeconfig");
  const { ca = "" } = await controlPlane.connection.tls();
  await writeFile(kubeconfig, kubeconfigFor({ name: "cards", server: controlPlane.server, ca, token: user.token }));
  return spawn(process.execPath, [here("run-challenge-cards.ts")], {
    env: { ...process.env, KUBECONFIG: kubeconfig, HEALTH_PORT: "0", METRICS_PORT: "0" },
    stdio: "ignore",
  });
}

describe.skipIf(await missingControlPlane())("the example of the guide", () => {
  test("keeps cards as they should be, and stops in order", async () => {
    await using controlPlane = await startControlPlane({ scheduler: false, users: [user] });
    const kubectl = (...args: string[]) => controlPlane.kubectl(args);
    await kubectl("apply", "-f", here("../../crds"), "-f", here("challenge-cards-role.yaml"));
    await kubectl("create", "clusterrolebinding", "cards", "--clusterrole=challenge-cards", "--user=cards");
    await kubectl("wait", "--for=condition=Established", "crd", "--all");
    const client = createClient({ connection: controlPlane.connection });
    const card = () => client.get(ConfigMaps, "default", "cookie-jar-card").catch(() => undefined);
    const data = async () => (await card())?.data;
    const edit = (change: object) =>
      client.patch(ConfigMaps, "default", "cookie-jar-card", { type: "merge", body: { data: change } });
    const wanted = { title: "Cookie Jar", categories: "web, easy" };

    const example = await startExample(controlPlane);
    const exit = once(example, "exit");
    try {
      await kubectl("apply", "-f", here("cookie-jar.yaml"));
      await expect.poll(data, { timeout: 40_000 }).toEqual(wanted);

      // What is edited or deleted is put back; what others add is theirs, and no reason to write again.
      await edit({ title: "Free Flags" });
      await expect.poll(data, { timeout: 10_000 }).toEqual(wanted);
      await kubectl("delete", "configmap", "cookie-jar-card");
      await expect.poll(data, { timeout: 10_000 }).toEqual(wanted);
      const { metadata } = await edit({ extra: "theirs" });
      await kubectl("label", "challenge", "cookie-jar", "looked-at=again");
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect((await card())?.metadata.resourceVersion).toBe(metadata.resourceVersion);

      expect(await kubectl("get", "events")).toContain("CardWritten");
      // A card goes with its Challenge. The garbage collector looks for new kinds every 30 s only.
      await kubectl("delete", "challenge", "cookie-jar");
      await expect.poll(card, { timeout: 90_000 }).toBeUndefined();
    } finally {
      example.kill("SIGTERM");
    }
    expect(await exit).toEqual([0, null]);
    expect(await kubectl("get", "lease", "berg-example", "-o", "jsonpath={.spec.holderIdentity}")).toBe("");
    await client.close();
  });
});
