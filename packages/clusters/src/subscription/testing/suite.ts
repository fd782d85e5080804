/** What SubscriptionRequests come to: on the embedded API server and on real ones. */
import { setTimeout as wait } from "node:timers/promises";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { defaultMultiAccount } from "../pool/limits.ts";
import { parseRules } from "../pool/rules.ts";
import { onStage, type StartServers, soon } from "./stage.ts";
import { type Operator, SubscriptionWorld } from "./world.ts";

export function describeSubscriptions(startServers: StartServers): void {
  const stage = onStage(startServers, { limits: { rich: 2 } });
  const { until, untilCondition, labelsOf } = stage;

  describe("a tenant's request", () => {
    test("claims a free account, says which, and keeps what others wrote on it", async () => {
      const { world } = stage;
      await world.account("b");
      await world.account("a", { team: "blue" });
      await world.operator();
      const { metadata } = await world.request("one");
      await until("one", "Bound a");
      const account = await world.accountNamed("a");
      expect(account.metadata.labels).toEqual({ hyperscalerType: "aws", team: "blue", tenantName: "t1" });
      expect(Object.keys(account.metadata.annotations ?? {}).sort()).toEqual([
        "subscription.kyma-project.io/claimed-at",
        "subscription.kyma-project.io/claimed-by",
      ]);
      expect(account.metadata.annotations).toMatchObject({ "subscription.kyma-project.io/claimed-by": metadata.uid });
      expect((await world.get("one"))?.status).toMatchObject({
        phase: "Bound",
        gardenerSecretName: "a-secret",
        gardenerSecretNamespace: world.gardenNamespace,
        binding: { kind: "CredentialsBinding", name: "a", uid: account.metadata.uid },
        hyperscalerType: "aws",
        shared: false,
        observedGeneration: 1,
      });
      expect(await labelsOf("b")).toEqual({ hyperscalerType: "aws" });
      await vi.waitFor(async () => expect(await world.eventsOf("one")).toContain("Bound"), soon);
    });

    test("is given the account that the tenant has, whoever claimed it", async () => {
      const { world } = stage;
      await world.account("a");
      await world.account("z", { tenantName: "t1" });
      await world.operator();
      await world.request("one", { subscriptionSelector: "globalaccount:t1" });
      await until("one", "Bound z");
      await world.request("two");
      await until("two", "Bound z");
    });

    test("costs no request once it is settled", async () => {
      const { world } = stage;
      await world.account("a");
      const { own, garden } = await world.operator();
      await world.request("one");
      await until("one", "Bound a");
      await wait(300);
      const asked = [own, garden].map((proxy) => proxy.requests.length);
      await world.annotate("a", { note: "1" });
      await wait(300);
      expect([own, garden].map((proxy) => proxy.requests.length)).toEqual(asked);
    });

    test("that makes no sense says why, and can be deleted", async () => {
      const { world } = stage;
      await world.operator();
      await world.request("one", { plan: "no-such" });
      await until("one", "Failed");
      await untilCondition("one", "SelectorValid", "False InvalidSelector");
      await world.remove("one");
      await until("one", "gone");
    });
  });

  describe("an empty pool", () => {
    test("is waited for, said once, and goes on with the next account", async () => {
      const { world } = stage;
      await world.account("taken", { tenantName: "t2" });
      await world.account("dirty", { dirty: "true" });
      await world.account("internal", { internal: "true" });
      const operator = await world.operator();
      await world.request("one");
      await until("one", "Exhausted");
      expect(await world.conditionOf("one", "PoolAvailable")).toBe("False PoolExhausted");
      await vi.waitFor(
        async () =>
          expect(await operator.metrics()).toMatch(/available_credentials_bindings\{hyperscaler_type="aws"\} 0/),
        soon,
      );
      const asked = operator.garden.requests.length;
      await world.account("of-another-type", { hyperscalerType: "gcp" });
      await world.account("also-taken", { tenantName: "t3" });
      await wait(300);
      expect(operator.garden.requests.length).toBe(asked);
      await world.account("fresh");
      await until("one", "Bound fresh");
      expect((await world.eventsOf("one")).filter((reason) => reason === "PoolExhausted")).toHaveLength(1);
    });

    test("gives what comes to whoever has waited for longest, and the others ask nobody for it", async () => {
      const { world } = stage;
      const { garden } = await world.operator();
      const tenants = Array.from({ length: 12 }, (_, at) => `t${at}`);
      await world.request("first", { subscriptionSelector: "t-first" });
      await until("first", "Exhausted");
      // Times of creation are in whole seconds.
      await wait(1_100);
      await Promise.all(tenants.map((tenant) => world.request(tenant, { subscriptionSelector: tenant })));
      for (const tenant of tenants) await until(tenant, "Exhausted");
      const asked = garden.requests.length;
      await world.account("a");
      await until("first", "Bound a");
      await wait(300);
      // Two looks, a claim, its confirmation, and a last look at what was set aside.
      expect(garden.requests.length - asked).toBe(5);
    });

    test("goes on with an account that was cleaned", async () => {
      const { world } = stage;
      await world.account("a", { tenantName: "t2", dirty: "true" });
      await world.operator();
      await world.request("one");
      await until("one", "Exhausted");
      await world.label("a", { tenantName: null, dirty: null });
      await until("one", "Bound a");
    });
  });

  describe("shared accounts", () => {
    test("are given out evenly, though no Shoot is there yet, and never claimed", async () => {
      const { world } = stage;
      for (const name of ["a", "b", "c"]) await world.account(name, { shared: "true" });
      await world.shoot("s1", "a");
      await world.operator();
      const names = Array.from({ length: 8 }, (_, at) => `r${at}`);
      await Promise.all(names.map((name) => world.request(name, { subscriptionSelector: "shared" })));
      const states = await vi.waitFor(async () => {
        const all = await Promise.all(names.map((name) => world.stateOf(name)));
        expect(all.every((state) => state.startsWith("Bound"))).toBe(true);
        return all;
      }, soon);
      const count = (name: string) => states.filter((state) => state === `Bound ${name}`).length;
      expect([count("a"), count("b"), count("c")]).toEqual([2, 3, 3]);
      expect(world.record.changes).toBe(0);
      await world.remove("r0");
      await until("r0", "gone");
      expect(world.record.changes).toBe(0);
    });
  });

  describe("several accounts of one tenant", () => {
    test("come one by one, as each is full", async () => {
      const { world } = stage;
      for (const name of ["a", "b", "c"]) await world.account(name);
      const limits = { ...defaultMultiAccount.limits, aws: 2 };
      await world.operator({ settings: { multiAccount: { tenants: ["rich"], limits } } });
      for (const [at, want] of ["a", "a", "b", "b", "c"].entries()) {
        await world.request(`r${at}`, { subscriptionSelector: "rich" });
        await until(`r${at}`, `Bound ${want}`);
      }
      await world.request("poor-1", { subscriptionSelector: "poor" });
      await until("poor-1", "Exhausted");
    });
  });

  describe("what becomes of an account that is bound", () => {
    let operator: Operator;
    beforeEach(async () => {
      const { world } = stage;
      await world.account("a");
      await world.account("b");
      operator = await world.operator();
      await world.request("one");
      await until("one", "Bound a");
    });

    test("marked dirty or internal, it stays bound and says so", async () => {
      const { world } = stage;
      await world.label("a", { dirty: "true" });
      await untilCondition("one", "Bound", "True BoundToDirtyAccount");
      await world.label("a", { dirty: null });
      await untilCondition("one", "Bound", "True Bound");
      expect(await world.stateOf("one")).toBe("Bound a");
    });

    test("though the rules have changed since, it stays bound, and is given back", async () => {
      const { world } = stage;
      const { rules } = parseRules(["gcp", "aws(HR=eu) -> S"]);
      await operator.stop();
      await world.operator({ settings: { rules } });
      await world.annotate("a", { look: "again" });
      await wait(300);
      expect(await world.stateOf("one")).toBe("Bound a");
      await world.remove("one");
      await until("one", "gone");
      expect((await labelsOf("a")).dirty).toBe("true");
    });

    test("deleted, it is lost, and no other one is taken", async () => {
      const { world } = stage;
      await world.removeAccount("a");
      await untilCondition("one", "Bound", "False BindingLost");
      expect(await world.stateOf("one")).toBe("Failed");
      // Another one under its name is another one.
      await world.account("a");
      await wait(300);
      expect(await world.conditionOf("one", "Bound")).toBe("False BindingLost");
      expect((await labelsOf("b")).tenantName).toBeUndefined();
      await world.remove("one");
      await until("one", "gone");
      expect((await labelsOf("a")).dirty).toBeUndefined();
    });
  });

  test("a pool of SecretBindings does as well", async () => {
    const world = await SubscriptionWorld.open(stage.servers, { poolKind: "SecretBinding" });
    await world.account("a", { team: "blue" });
    await world.operator();
    await world.request("one", { cluster: "cluster-1" });
    await vi.waitFor(async () => expect(await world.stateOf("one")).toBe("Bound a"), soon);
    expect((await world.get("one"))?.status).toMatchObject({
      binding: { apiVersion: "core.gardener.cloud/v1beta1", kind: "SecretBinding", name: "a" },
      gardenerSecretName: "a-secret",
      gardenerSecretNamespace: world.gardenNamespace,
    });
    await world.shoot("s1", "a", "cluster-1");
    await world.remove("one");
    await vi.waitFor(
      async () => expect(await world.conditionOf("one", "Released")).toBe("False ShootStillThere"),
      soon,
    );
    await world.removeShoot("s1");
    await vi.waitFor(async () => expect(await world.stateOf("one")).toBe("gone"), soon);
    expect((await world.accountNamed("a")).metadata.labels).toMatchObject({ team: "blue", dirty: "true" });
    await world.close();
    expect(world.record.breaches()).toEqual([]);
  });

  test("requests that come and go at once never get an account that is given back", async () => {
    const { world } = stage;
    const names = ["a", "b"];
    for (const name of names) await world.account(name);
    await Promise.all([world.operator(), world.operator()]);
    for (let round = 0; round < 4; round++) {
      await world.request(`old-${round}`);
      await until(`old-${round}`, /^Bound/);
      await Promise.all([world.remove(`old-${round}`), world.request(`new-${round}`)]);
      await until(`old-${round}`, "gone");
      await until(`new-${round}`, /^Bound/);
      const name = (await world.get(`new-${round}`))?.status?.binding?.name ?? "";
      expect((await labelsOf(name)).dirty).toBeUndefined();
      expect(await world.conditionOf(`new-${round}`, "Bound")).toBe("True Bound");
      await world.remove(`new-${round}`);
      await until(`new-${round}`, "gone");
      expect((await labelsOf(name)).dirty).toBe("true");
      for (const each of names)
        if ((await labelsOf(each)).dirty) await world.label(each, { dirty: null, tenantName: null });
    }
  });
}
