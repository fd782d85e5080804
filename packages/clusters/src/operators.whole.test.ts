/** The Cluster and the Subscription operator together, on an embedded API server: what becomes of an account. */
import { type Client, createMetrics, Manager, silentLogger, systemClock } from "@berg/kube";
import { SubscriptionRequests } from "@berg/resources";
import { expect, test } from "vitest";
import { named, untilPhase } from "./cluster/testing/told.ts";
import { gardenNamespace, namespace, startWorld } from "./cluster/testing/world.ts";
import { openGarden } from "./gardener/garden.ts";
import { CredentialsBindings, Shoots } from "./gardener/kinds.ts";
import { addSubscriptionController } from "./subscription/controller.ts";
import { defaultMultiAccount } from "./subscription/pool/limits.ts";
import { defaultRules, parseRules } from "./subscription/pool/rules.ts";
import { gardener } from "./vocabulary.ts";

async function startSubscriptionOperator(client: Client): Promise<AsyncDisposable> {
  const metrics = await createMetrics();
  const manager = new Manager({ component: "clusters", client, log: silentLogger, metrics });
  addSubscriptionController(manager, {
    garden: openGarden(manager, { client, namespace: gardenNamespace, poolKind: "CredentialsBinding" }),
    settings: { rules: parseRules(defaultRules).rules, multiAccount: defaultMultiAccount },
    clock: systemClock,
    metrics,
  });
  const stopping = new AbortController();
  const running = manager.run(stopping.signal);
  running.catch(() => {});
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await running;
    },
  };
}

test("the account of a cluster that is retained stays clean, and the tenant's next cluster gives it back", {
  timeout: 120_000,
}, async () => {
  await using world = await startWorld();
  const { client } = world;
  world.givesAccounts = false;
  await using _ = await world.startOperator();
  await using __ = await startSubscriptionOperator(client);
  await client.create(CredentialsBindings, {
    metadata: { name: "a", namespace: gardenNamespace, labels: { hyperscalerType: "aws" } },
    provider: { type: "aws" },
    credentialsRef: { apiVersion: "v1", kind: "Secret", name: "a-secret", namespace: gardenNamespace },
  });
  const labelsOf = async () => (await client.get(CredentialsBindings, gardenNamespace, "a")).metadata.labels;
  const kept = () => client.get(Shoots, gardenNamespace, "kept");

  await world.create("kept", { ...named("kept"), deletionPolicy: "Retain" });
  await untilPhase(world, "kept", "Ready");
  await world.remove("kept");
  await untilPhase(world, "kept", "gone");
  await expect(client.get(SubscriptionRequests, namespace, "kept")).rejects.toThrow("not found");
  expect((await kept()).metadata.deletionTimestamp).toBeUndefined();
  expect(await labelsOf()).toEqual({ hyperscalerType: "aws", tenantName: "abcd-0001" });

  await world.create("next", named("next"));
  await untilPhase(world, "next", "Ready");
  expect((await world.shootOf("next"))?.spec.credentialsBindingName).toBe("a");
  const confirm = { metadata: { annotations: { [gardener.confirmDeletion]: "true" } } };
  await client.patch(Shoots, gardenNamespace, "kept", { type: "merge", body: confirm });
  await client.delete(Shoots, gardenNamespace, "kept");
  await expect.poll(() => kept().catch(({ code }) => code)).toBe(404);
  expect((await labelsOf())?.dirty).toBeUndefined();
  await world.remove("next");
  await untilPhase(world, "next", "gone");
  expect(await labelsOf()).toEqual({ hyperscalerType: "aws", tenantName: "abcd-0001", dirty: "true" });
});
