/** Two replicas of the controller as the Deployment starts them: with their account's rights and with the lease of deploy/. */
import { createClient, Leases, Namespaces } from "@berg/kube";
import { type Challenge, ChallengeInstances, Challenges } from "@berg/resources";
import { missingControlPlane, startControlPlane } from "@berg/test";
import { describe, expect, onTestFinished, test } from "vitest";
import { applyAll } from "./testing/installed.ts";
import { kubeconfigOf, Replica } from "./testing/replica.ts";

const ownerId = "0190b5a4-7c1e-7d3a-8f00-0123456789ab";

const cookieJar = {
  containers: [
    {
      hostname: "web",
      image: "cookie-jar",
      ports: [{ port: 80, protocol: "tcp", type: "internalPort" as const }],
      dynamicFlag: { content: { path: "/flag", mode: 0o444 } },
    },
  ],
} as Challenge["spec"];

/** With what its one container asks for, a player would be root on the node. */
const kernel = {
  containers: cookieJar.containers.map((container) => ({ ...container, additionalCapabilities: ["SYS_MODULE"] })),
} as Challenge["spec"];

describe.skipIf(await missingControlPlane())("the controller as it is deployed", () => {
  test("one replica leads at once, does its work with its own rights, and hands over when it stops", async () => {
    await using controlPlane = await startControlPlane({ scheduler: false });
    const admin = createClient({ connection: controlPlane.connection });
    onTestFinished(() => admin.close());
    await applyAll(controlPlane);
    await admin.create(Challenges, { metadata: { namespace: "berg", name: "cookie-jar" }, spec: cookieJar });
    await admin.create(Challenges, { metadata: { namespace: "berg", name: "kernel" }, spec: kernel });
    const account = { name: "berg-controller", namespace: "berg" };
    const KUBECONFIG = await kubeconfigOf(controlPlane, admin, account);
    // The controller allows what the policy still refuses: the status has to say so.
    const env = {
      ...{ KUBECONFIG, POD_NAMESPACE: "berg", NETWORK_POLICY: "kubernetes", CHALLENGE_CAPABILITIES: "SYS_MODULE" },
    };

    const first = new Replica("controller", env);
    await expect.poll(() => first.said("caches are filled"), { timeout: 30_000 }).toBe(true);
    // Not after the 15 s for which a Lease of unknown history is left alone.
    await expect.poll(() => first.said("leading"), { timeout: 5_000 }).toBe(true);
    const second = new Replica("controller", env);
    await expect.poll(() => second.said("waiting for the lease"), { timeout: 30_000 }).toBe(true);

    const spec = { ownerId, challengeRef: { name: "cookie-jar" }, flag: "flag{one}", renewals: 0, restarts: 0 };
    await admin.create(ChallengeInstances, { metadata: { namespace: "berg", name: "one" }, spec });
    const phase = async () => (await admin.get(ChallengeInstances, "berg", "one")).status?.phase;
    await expect.poll(phase, { timeout: 30_000 }).toBe("Starting");

    const tooMuch = { ...spec, ownerId: ownerId.replace(/ab$/, "ac"), challengeRef: { name: "kernel" } };
    await admin.create(ChallengeInstances, { metadata: { namespace: "berg", name: "two" }, spec: tooMuch });
    const refused = async () => (await admin.get(ChallengeInstances, "berg", "two")).status;
    await expect.poll(refused, { timeout: 30_000 }).toMatchObject({
      phase: "Failed",
      reason: "ManifestRefused",
      message: expect.stringContaining("capabilities SYS_MODULE; an administrator can allow them in deploy/"),
    });

    first.stop();
    expect(await first.exit).toEqual([0, null]);
    await expect.poll(() => second.said("leading"), { timeout: 5_000 }).toBe(true);
    await admin.delete(ChallengeInstances, "berg", "one");
    await admin.delete(ChallengeInstances, "berg", "two");
    const left = async () => (await admin.list(ChallengeInstances, { namespace: "berg" })).items.length;
    await expect.poll(left, { timeout: 60_000 }).toBe(0);
    await expect(admin.get(Namespaces, "", `challenge-${ownerId}`)).rejects.toThrow("not found");

    second.stop();
    expect(await second.exit).toEqual([0, null]);
    expect((await admin.get(Leases, "berg", "berg-controller")).spec?.holderIdentity).toBe("");
    expect([...first.lines, ...second.lines].filter(({ error }) => error?.includes("forbidden"))).toEqual([]);
  });
});
