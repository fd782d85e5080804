/** What becomes of an account when its request is deleted: on the embedded API server and on real ones. */
import { setTimeout as wait } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { annotations } from "../../vocabulary.ts";
import { onStage, type StartServers, soon } from "./stage.ts";

export function describeReleases(startServers: StartServers): void {
  const stage = onStage(startServers);
  const { until, untilCondition, labelsOf } = stage;

  /** As where a Cluster goes and its Shoot is retained. */
  async function leaveToShoot(request: string, shoot: string): Promise<void> {
    const { world } = stage;
    await world.request(request, { cluster: "cluster-1" });
    await until(request, "Bound a");
    await world.shoot(shoot, "a");
    await world.remove(request);
    await until(request, "gone");
  }

  test("gives its account back to be cleaned, and leaves the tenant on it", async () => {
    const { world } = stage;
    await world.account("a", { team: "blue" });
    const { garden } = await world.operator();
    await world.request("one");
    await until("one", "Bound a");
    await world.remove("one");
    await until("one", "gone");
    // The credentials themselves are nothing to us.
    const kinds = new Set(garden.requests.map(({ resource }) => resource));
    expect([...kinds].sort()).toEqual(["cloudprofiles", "credentialsbindings", "shoots"]);
    expect(await labelsOf("a")).toEqual({ hyperscalerType: "aws", team: "blue", tenantName: "t1", dirty: "true" });
  });

  test("leaves the account to others who have it, and the last one gives it back", async () => {
    const { world } = stage;
    await world.account("a");
    await world.operator();
    for (const name of ["one", "two"]) {
      await world.request(name);
      await until(name, "Bound a");
    }
    await world.remove("one");
    await until("one", "gone");
    expect((await labelsOf("a")).dirty).toBeUndefined();
    await world.remove("two");
    await until("two", "gone");
    expect((await labelsOf("a")).dirty).toBe("true");
  });

  test("leaves it to one that only waits for the Shoot of its Cluster", async () => {
    const { world } = stage;
    await world.account("a");
    await world.operator();
    await world.request("one");
    await until("one", "Bound a");
    await world.request("two", { cluster: "cluster-1" });
    await until("two", "Bound a");
    await world.shoot("s1", "a", "cluster-1");
    await world.remove("two");
    await untilCondition("two", "Released", "False ShootStillThere");
    await world.remove("one");
    await until("one", "gone");
    expect((await labelsOf("a")).dirty).toBeUndefined();
    await world.removeShoot("s1");
    await until("two", "gone");
    expect((await labelsOf("a")).dirty).toBe("true");
  });

  test("leaves an account that others gave to the tenant for them to give back, and says so", async () => {
    const { world } = stage;
    await world.account("a", { tenantName: "t1" });
    await world.operator();
    await world.request("one");
    await until("one", "Bound a");
    await world.remove("one");
    await until("one", "gone");
    expect(await labelsOf("a")).toEqual({ hyperscalerType: "aws", tenantName: "t1" });
    await vi.waitFor(async () => expect(await world.eventsOf("one")).toContain("NotOurs"), soon);
  });

  test("leaves an account that a request of another system has claimed since", async () => {
    const { world } = stage;
    await world.account("a");
    await world.operator();
    await world.request("one");
    await until("one", "Bound a");
    await world.annotate("a", { [annotations.claimedBy]: "5f0c1a52-theirs" });
    await world.remove("one");
    await until("one", "gone");
    expect((await labelsOf("a")).dirty).toBeUndefined();
  });

  test("waits for the Shoot of its own Cluster", async () => {
    const { world } = stage;
    await world.account("a");
    await world.operator();
    await world.request("one", { cluster: "cluster-1" });
    await until("one", "Bound a");
    await world.shoot("s1", "a", "cluster-1");
    await world.remove("one");
    await untilCondition("one", "Released", "False ShootStillThere");
    expect((await labelsOf("a")).dirty).toBeUndefined();
    await world.removeShoot("s1");
    await until("one", "gone");
    expect((await labelsOf("a")).dirty).toBe("true");
  });

  test("does not wait for others' Shoots, and leaves the account to them", async () => {
    const { world } = stage;
    await world.account("a");
    await world.operator();
    await world.request("one", { cluster: "cluster-1" });
    await until("one", "Bound a");
    await world.shoot("s1", "a", "cluster-2");
    await world.remove("one");
    await until("one", "gone");
    expect((await labelsOf("a")).dirty).toBeUndefined();
  });

  test("leaves its claim behind where a Shoot stays, and the next one gives the account back", async () => {
    const { world } = stage;
    await world.account("a");
    const first = await world.operator();
    await leaveToShoot("one", "s1");
    // Also from one that left it once more.
    await world.request("two");
    await until("two", "Bound a");
    await world.remove("two");
    await until("two", "gone");
    const { metadata } = await world.request("three");
    await until("three", "Bound a");
    const notes = (await world.accountNamed("a")).metadata.annotations ?? {};
    expect(notes[annotations.claimedBy]).toBe(metadata.uid);
    expect(notes[annotations.claimLeft]).toBeUndefined();
    expect((await labelsOf("a")).dirty).toBeUndefined();
    // Whose copy may show the Shoot for a little longer.
    await first.stop();
    await world.removeShoot("s1");
    await world.operator();
    await world.remove("three");
    await until("three", "gone");
    expect((await labelsOf("a")).dirty).toBe("true");
  });

  test("leaves the account to a Shoot that stays, and when that goes it is given back, at no cost until then", async () => {
    const { world } = stage;
    await world.account("a");
    const { garden } = await world.operator();
    await leaveToShoot("one", "s1");
    await wait(300);
    const asked = garden.requests.length;
    await world.annotate("a", { note: "1" });
    await world.touchShoot("s1");
    await wait(300);
    expect(garden.requests.length).toBe(asked);
    expect((await labelsOf("a")).dirty).toBeUndefined();
    await world.removeShoot("s1");
    await vi.waitFor(async () => expect((await labelsOf("a")).dirty).toBe("true"), soon);
    expect(await labelsOf("a")).toEqual({ hyperscalerType: "aws", tenantName: "t1", dirty: "true" });
  });

  test("also where the Shoot goes while nobody is at work", async () => {
    const { world } = stage;
    await world.account("a");
    const first = await world.operator();
    await leaveToShoot("one", "s1");
    await first.stop();
    await world.removeShoot("s1");
    await world.operator();
    await vi.waitFor(async () => expect((await labelsOf("a")).dirty).toBe("true"), soon);
  });

  test("not where another Shoot is on it, nor where a request has it", async () => {
    const { world } = stage;
    await world.account("a");
    await world.operator();
    await leaveToShoot("one", "s1");
    await world.shoot("s2", "a");
    await world.removeShoot("s1");
    await wait(300);
    expect((await labelsOf("a")).dirty).toBeUndefined();
    await world.request("two");
    await until("two", "Bound a");
    await world.removeShoot("s2");
    await wait(300);
    expect((await labelsOf("a")).dirty).toBeUndefined();
    await world.remove("two");
    await until("two", "gone");
    expect((await labelsOf("a")).dirty).toBe("true");
  });

  test("takes no claim of others, whether they made it before or after one of ours was left", async () => {
    const { world } = stage;
    await world.account("theirs", { tenantName: "t2" });
    await world.annotate("theirs", { [annotations.claimedBy]: "5f0c1a52-theirs" });
    await world.account("a");
    const first = await world.operator();
    for (const [name, tenant, account] of [
      ["one", "t1", "a"],
      ["two", "t2", "theirs"],
    ] as const) {
      await world.shoot(`s-${name}`, account);
      await world.request(name, { subscriptionSelector: tenant });
      await until(name, `Bound ${account}`);
      await world.remove(name);
      await until(name, "gone");
    }
    await first.stop();
    for (const name of ["s-one", "s-two"]) await world.removeShoot(name);
    // Cleaned, and given to the same tenant.
    await world.label("a", { dirty: "true" });
    await world.label("a", { dirty: null, tenantName: null });
    await world.label("a", { tenantName: "t1" });
    const before = await Promise.all(["a", "theirs"].map((name) => world.accountNamed(name)));
    await world.operator();
    for (const [name, tenant, account] of [
      ["three", "t1", "a"],
      ["four", "t2", "theirs"],
    ] as const) {
      await world.request(name, { subscriptionSelector: tenant });
      await until(name, `Bound ${account}`);
      await world.remove(name);
      await until(name, "gone");
    }
    expect(await Promise.all(["a", "theirs"].map((name) => world.accountNamed(name)))).toEqual(before);
  });

  test("of which several go at once, marks what nobody has left", async () => {
    const { world } = stage;
    await world.account("a");
    await world.operator();
    const names = Array.from({ length: 6 }, (_, at) => `r${at}`);
    await Promise.all(names.map((name) => world.request(name)));
    for (const name of names) await until(name, "Bound a");
    await Promise.all(names.map((name) => world.remove(name)));
    for (const name of names) await until(name, "gone");
    expect((await labelsOf("a")).dirty).toBe("true");
  });

  test("never touches an internal account", async () => {
    const { world } = stage;
    await world.account("a", { tenantName: "t1", internal: "true" });
    await world.operator();
    await world.request("one");
    await untilCondition("one", "Bound", "True BoundToInternalAccount");
    await world.remove("one");
    await until("one", "gone");
    expect((await labelsOf("a")).dirty).toBeUndefined();
  });
}
