/** Runs the guide's example as its reader would: as a process, against a real API server. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { ConfigMaps, createClient } from "@berg/kube";
import { missingControlPlane, startControlPlane } from "@berg/test";
import { describe, expect, test } from "vitest";

const challenge = `
apiVersion: berg.norelect.ch/v1
kind: Challenge
metadata: { name: web, namespace: default }
spec: { displayName: Cookie Jar, categories: [web, easy] }
`;

describe.skipIf(await missingControlPlane())("the example of the guide", () => {
  test("keeps cards as they should be, and stops in order", async () => {
    await using controlPlane = await startControlPlane({ scheduler: false });
    await controlPlane.kubectl(["apply", "-f", join(import.meta.dirname, "../../crds")]);
    await controlPlane.kubectl(["wait", "--for=condition=Established", "crd", "--all"]);
    const client = createClient({ connection: controlPlane.connection });
    const example = spawn(process.execPath, [join(import.meta.dirname, "run-challenge-cards.ts")], {
      env: { ...process.env, KUBECONFIG: controlPlane.kubeconfig },
      stdio: "ignore",
    });
    const exit = once(example, "exit");
    const card = () => client.get(ConfigMaps, "default", "web-card").catch(() => undefined);
    try {
      await controlPlane.kubectl(["apply", "-f", "-"], { input: challenge });
      await expect
        .poll(async () => (await card())?.data, { timeout: 30_000 })
        .toEqual({
          title: "Cookie Jar",
          categories: "web, easy",
        });

      // A card that somebody edits or deletes is put back; one whose Challenge goes, goes too.
      await controlPlane.kubectl([
        "patch",
        "configmap",
        "web-card",
        "--type=merge",
        "-p",
        '{"data":{"title":"Free Flags"}}',
      ]);
      await expect.poll(async () => (await card())?.data?.title, { timeout: 10_000 }).toBe("Cookie Jar");
      await controlPlane.kubectl(["delete", "configmap", "web-card"]);
      await expect.poll(async () => (await card())?.data?.title, { timeout: 10_000 }).toBe("Cookie Jar");
      expect(await controlPlane.kubectl(["get", "events"])).toContain("CardWritten");
      await controlPlane.kubectl(["delete", "challenge", "web"]);
      // The garbage collector looks for new kinds every 30 s only.
      await expect.poll(card, { timeout: 90_000 }).toBeUndefined();
    } finally {
      example.kill("SIGTERM");
    }
    expect(await exit).toEqual([0, null]);
    const holder = await controlPlane.kubectl([
      "get",
      "lease",
      "berg-example",
      "-o",
      "jsonpath={.spec.holderIdentity}",
    ]);
    expect(holder).toBe("");
    await client.close();
  });
});
