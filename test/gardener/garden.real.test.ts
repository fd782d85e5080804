/** What a garden takes and refuses, and what it does on bad days. */
import { isForbidden, isInvalid, isNotFound, type StatusError } from "@berg/apimachinery";
import { type Client, createClient, loadConnection, systemClock, unlimited } from "@berg/kube";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { userWithNewToken } from "../control-plane/credentials.ts";
import { ask } from "../control-plane/request.ts";
import { fillPool } from "./accounts/accounts.ts";
import { startGarden, type TestGarden } from "./garden.ts";
import { CredentialsBindings, Shoots } from "./kinds.ts";
import { onEachGarden } from "./on-each-garden.ts";
import { sampleShoot } from "./samples.ts";

const confirmation = { annotations: { "confirmation.gardener.cloud/deletion": "true" } };
const account = { name: "account", provider: "aws", labels: {} };

onEachGarden((gardener) => {
  let garden: TestGarden;
  let client: Client;
  beforeAll(async () => {
    garden = await startGarden({ gardener });
    client = createClient({ connection: garden.connection, rate: unlimited });
    await fillPool(garden, [account]);
  });
  afterAll(async () => {
    await client?.close();
    await garden?.stop();
  });

  const create = (name: string, spec: object = {}) => {
    const sample = sampleShoot(garden.namespace, name);
    return client.create(Shoots, { ...sample, spec: { ...sample.spec, ...spec } });
  };
  const merge = (name: string, body: object) => client.patch(Shoots, garden.namespace, name, { type: "merge", body });
  const refusalOf = (refused: Promise<unknown>): Promise<StatusError> =>
    refused.then(
      () => expect.unreachable("it was taken"),
      (error) => error,
    );

  test("is reached with its kubeconfig", async () => {
    const connection = await loadConnection({ clock: systemClock, kubeconfig: garden.kubeconfig });
    const viaFile = createClient({ connection, rate: unlimited });
    expect((await viaFile.list(Shoots, { namespace: garden.namespace })).kind).toBe("ShootList");
    expect(garden.requests.at(-1)).toMatchObject({ verb: "list", resource: "shoots", code: 200 });
    await viaFile.close();
  });

  test("takes a Shoot, with nothing lost", async () => {
    const made = await create("taken");
    expect(made).toMatchObject(sampleShoot(garden.namespace, "taken"));
    expect(made.metadata.generation).toBe(1);
    const gardener = { id: "", name: "", version: "" };
    expect(made.status).toEqual({ gardener, hibernated: false, technicalID: "", uid: "" });
  });

  test.each([
    { what: "two bindings", spec: { secretBindingName: "a" }, says: "credentialsBindingName" },
    { what: "no binding", spec: { credentialsBindingName: undefined }, says: "credentialsBindingName" },
    { what: "a purpose in the wrong case", spec: { purpose: "Production" }, says: 'Unsupported value: "Production"' },
  ])("refuses $what", async ({ spec, says }) => {
    const refused = await refusalOf(create("bad", spec));
    expect(isInvalid(refused) || isForbidden(refused)).toBe(true);
    expect(refused.message).toContain(says);
  });

  // Only Gardener itself knows what there is.
  if (gardener === "real") {
    test.each([
      { what: "an account", spec: { credentialsBindingName: "nobodys" }, code: 403 },
      // As if it were a mistake of its own.
      { what: "a CloudProfile", spec: { cloudProfile: { kind: "CloudProfile", name: "nowhere" } }, code: 500 },
      // Found out by admission, which has but this one word.
      { what: "a version", spec: { kubernetes: { version: "1.2.3" } }, code: 403 },
      { what: "a region", spec: { region: "atlantis" }, code: 403 },
    ])("refuses $what that there is not", async ({ spec, code }) => {
      expect((await refusalOf(create("bad", spec))).code).toBe(code);
    });
  }

  test("refuses a name that is too long with the project's", async () => {
    const refused = await refusalOf(create("a".repeat(18)));
    expect(refused.message).toContain("21 characters");
  });

  test("keeps what cannot be changed, and counts what can", async () => {
    await create("fixed");
    for (const spec of [
      { region: "us-east-1" },
      { networking: { pods: "10.0.0.0/16" } },
      { networking: { pods: null } },
      { provider: { type: "gcp" } },
    ]) {
      const refused = await refusalOf(merge("fixed", { spec }));
      expect([JSON.stringify(spec), isInvalid(refused) || isForbidden(refused)]).toEqual([JSON.stringify(spec), true]);
    }
    const changed = await merge("fixed", { spec: { purpose: "development" } });
    expect([changed.spec.purpose, changed.metadata.generation]).toEqual(["development", 2]);
    expect((await merge("fixed", { metadata: { labels: { any: "thing" } } })).metadata.generation).toBe(2);
    const other = { type: "merge", body: { credentialsRef: { name: "other" } } } as const;
    expect(await refusalOf(client.patch(CredentialsBindings, garden.namespace, "account", other))).toSatisfy(isInvalid);
    const labelled = { type: "merge", body: { metadata: { labels: { tenantName: "one" } } } } as const;
    await client.patch(CredentialsBindings, garden.namespace, "account", labelled);
  });

  test("lets nobody write over what they have not read", async () => {
    const read = await create("raced");
    await merge("raced", { metadata: { labels: { any: "thing" } } });
    expect((await refusalOf(client.update(Shoots, read))).code).toBe(409);
    const uid = "00000000-0000-0000-0000-000000000000";
    await merge("raced", { metadata: confirmation });
    const removed = client.delete(Shoots, garden.namespace, "raced", { preconditions: { uid } });
    expect((await refusalOf(removed)).code).toBe(409);
  });

  test("deletes only what was confirmed", async () => {
    await create("gone");
    const remove = () => client.delete(Shoots, garden.namespace, "gone");
    const refused = await refusalOf(remove());
    expect(refused).toSatisfy(isForbidden);
    expect(refused.message).toContain("confirmation.gardener.cloud/deletion");
    await merge("gone", { metadata: confirmation });
    await remove();
    await expect(client.get(Shoots, garden.namespace, "gone")).rejects.toSatisfy(isNotFound);
  });

  describe("on a bad day", () => {
    const shoots = () => codeOf(`/apis/core.gardener.cloud/v1beta1/namespaces/${garden.namespace}/shoots`);
    /** The bare code: a client would ask again. */
    const codeOf = async (path: string) => {
      const { hostname: host, port } = new URL(garden.connection.server);
      const { ca } = await garden.connection.tls();
      const authorization = await garden.connection.authorization();
      return (await ask({ host, port, path, ca, headers: { authorization } })).status;
    };

    test("is away with its own kinds alone", async () => {
      garden.faults.outage = true;
      expect([await shoots(), await codeOf("/api/v1/namespaces")]).toEqual([503, 200]);
      garden.faults.outage = false;
      expect(await shoots()).toBe(200);
    });

    if (gardener === "real") {
      test("is away as it says when its server really is", async () => {
        await garden.gardenerServer?.kill();
        await vi.waitFor(async () => expect(await shoots()).toBe(503), 10_000);
        expect(await codeOf("/api/v1/namespaces")).toBe(200);
        await garden.gardenerServer?.start();
        await vi.waitFor(async () => expect(await shoots()).toBe(200), 60_000);
      });
    }

    test("refuses now and then", async () => {
      Object.assign(garden.faults, { tooMany: 1, broken: 1 });
      expect([await shoots(), await shoots(), await shoots()]).toEqual([429, 500, 200]);
      garden.faults.forbiddenPercent = 100;
      expect((await refusalOf(create("flaky"))).message).toContain("not yet ready to handle request");
      expect(await shoots()).toBe(200);
      garden.faults.forbiddenPercent = 0;
    });

    test("takes its time", async () => {
      garden.faults.delayMs = 300;
      const before = performance.now();
      await shoots();
      expect(performance.now() - before).toBeGreaterThan(290);
      garden.faults.delayMs = 0;
    });
  });
});

onEachGarden((gardener) => {
  test("where two must agree, one alone cannot delete a Shoot", async () => {
    const other = userWithNewToken("jane", ["system:masters"]);
    await using garden = await startGarden({ gardener, dualApproval: true, users: [other] });
    await fillPool(garden, [account]);
    const admin = createClient({ connection: garden.connection, rate: unlimited });
    const jane = createClient({ connection: garden.connectWith(other.token), rate: unlimited });
    // Gardener's server looks the account up in a copy of its own, which may be a moment behind.
    await vi.waitFor(() => admin.create(Shoots, sampleShoot(garden.namespace, "ours")), 10_000);
    const confirm = { type: "merge", body: { metadata: confirmation } } as const;
    const confirmed = await admin.patch(Shoots, garden.namespace, "ours", confirm);
    expect(confirmed.metadata.annotations?.["deletion.gardener.cloud/confirmed-by"]).toBe("admin");
    const refused = await admin.delete(Shoots, garden.namespace, "ours").catch((error) => error);
    expect(refused).toSatisfy(isForbidden);
    expect(refused.message).toContain("another subject");
    await jane.delete(Shoots, garden.namespace, "ours");
    await expect(admin.get(Shoots, garden.namespace, "ours")).rejects.toSatisfy(isNotFound);
    await admin.close();
    await jane.close();
  });
});
