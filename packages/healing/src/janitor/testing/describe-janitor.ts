/** What a janitor does while the controller is dead, on any control plane. */
import { randomUUID } from "node:crypto";
import { Deployments, Namespaces, Pods, systemClock } from "@berg/kube";
import { ChallengeInstances, finalizers, labels, managedByBerg } from "@berg/resources";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CustomResourceDefinitions } from "../../../../../test/scenarios/crds.ts";
import { endIfDue } from "../../expired/end.ts";
import { GoingNamespaces } from "../../removing/going.ts";
import { marksOf } from "../../removing/testing/objects.ts";
import { look } from "../look.ts";
import { sweepOnce } from "../sweep-once.ts";
import { Place, type TestPlane } from "./place.ts";

const { signal } = new AbortController();
const eventually = { timeout: 60_000, interval: 100 };

export function describeJanitor(start: () => Promise<TestPlane>): void {
  let place: Place;
  beforeAll(async () => {
    place = await Place.on(start);
  }, 60_000);
  afterAll(() => place?.[Symbol.asyncDispose]());

  const once = (more: object = {}, settings = { graceMs: 0, ghostGraceMs: 0 }) =>
    sweepOnce({ client: place.client, settings, clock: systemClock, signal, ...more });
  const isEnding = async (name: string) =>
    (await place.client.get(ChallengeInstances, "berg", name)).metadata.deletionTimestamp !== undefined;

  describe("a sweep", { timeout: 120_000 }, () => {
    test("ends what is past its time, and leaves the finalizer and everything else alone", async () => {
      const due = await place.running(-5000);
      const lives = await place.running(3_600_000);
      const unseen = await place.running();
      const told = await once({ dryRun: true });
      const steps = [
        ["ChallengeInstance", `berg/${due.instance.metadata.name}`],
        ["Deployment", `${due.namespace}/web`],
        ["Namespace", due.namespace],
      ];
      expect(told.actions.map(({ kind, name }) => [kind, name])).toEqual(steps);
      expect(new Set(told.actions.map(({ did }) => did))).toEqual(new Set(["would delete"]));
      expect([await isEnding(due.instance.metadata.name), await place.stands(due.namespace)]).toEqual([false, true]);

      const { actions, problems } = await once();
      const deleted = actions.filter(({ did, kind }) => did === "deleted" && kind !== "Pod");
      expect(deleted.map(({ kind, name }) => [kind, name])).toEqual(steps);
      expect(deleted[0]?.why).toBe(`its time was up at ${due.instance.status?.expiresAt}`);
      expect(problems).toEqual([]);
      const after = await place.client.get(ChallengeInstances, "berg", due.instance.metadata.name);
      expect(after.metadata).toMatchObject({
        finalizers: [finalizers.controller],
        deletionTimestamp: expect.anything(),
      });
      await expect.poll(() => place.exists(Namespaces, "", due.namespace), eventually).toBe(false);
      for (const { instance, namespace } of [lives, unseen]) {
        expect([await isEnding(instance.metadata.name), await place.stands(namespace)]).toEqual([false, true]);
        expect(await place.exists(Deployments, namespace, "web")).toBe(true);
      }
    });

    test("a renewal in the same moment wins", async () => {
      const { instance, namespace } = await place.running(-5000);
      const sight = await look(place.client, signal);
      const seen = sight.instances.find(({ metadata }) => metadata.uid === instance.metadata.uid) ?? instance;
      await place.expiring(instance, 3_600_000);
      const going = new GoingNamespaces(() => sight.namespaces);
      const removing = { client: place.client, going, signal, report() {} };
      const now = Date.now();
      expect(await endIfDue(removing, seen, sight, { graceMs: 0, now })).toBeGreaterThan(now);
      expect(await isEnding(instance.metadata.name)).toBe(false);
      expect(await place.exists(Deployments, namespace, "web")).toBe(true);
    });

    test("what is being deleted stops, with its finalizer hanging", async () => {
      const { instance, namespace } = await place.running(3_600_000);
      await place.client.delete(ChallengeInstances, "berg", instance.metadata.name);
      await once();
      await expect.poll(() => place.exists(Namespaces, "", namespace), eventually).toBe(false);
      expect(await isEnding(instance.metadata.name)).toBe(true);
    });

    test("ghosts go once they are old enough; what lacks a mark or the name stays", async () => {
      const ghost = await place.namespaceFor(randomUUID());
      const uid = randomUUID();
      const others = {
        "challenge-unmarked": undefined,
        "challenge-half": { [labels.managedBy]: managedByBerg },
        "challenge-helm": { ...marksOf(uid), [labels.managedBy]: "Helm" },
        "important-system": marksOf(uid),
      };
      for (const [name, marks] of Object.entries(others))
        await place.client.create(Namespaces, { metadata: { name, ...(marks && { labels: marks }) } });
      expect((await once({}, { graceMs: 0, ghostGraceMs: 3_600_000 })).actions).toEqual([]);
      const { actions } = await once();
      expect(actions.filter(({ did }) => did === "deleted").map(({ name }) => name)).toEqual(
        expect.arrayContaining([`${ghost}/web`, ghost]),
      );
      await expect.poll(() => place.exists(Namespaces, "", ghost), eventually).toBe(false);
      for (const name of Object.keys(others)) expect(await place.stands(name)).toBe(true);
      expect((await once()).actions).toEqual([]);
    });

    test("too many ghosts to be true are left alone, until somebody says that it is right", async () => {
      const standing = (await place.client.listAll(Namespaces, { labelSelector: labels.instanceUid })).items.length;
      const names = Array.from({ length: standing + 11 }, () => `challenge-${randomUUID()}`);
      for (const name of names) await place.client.create(Namespaces, { metadata: { name, labels: marksOf("gone") } });
      const braked = await once();
      expect(braked.actions).toEqual([]);
      expect(braked.problems).toEqual([expect.stringMatching(/belong to no ChallengeInstance.* --force$/)]);
      expect((await once({ dryRun: true, force: true })).actions).toHaveLength(names.length);
      expect(await Promise.all(names.map((name) => place.stands(name)))).not.toContain(false);
      expect((await once({ force: true })).problems).toEqual([]);
      for (const name of names) await expect.poll(() => place.exists(Namespaces, "", name), eventually).toBe(false);
    });
  });

  test("one that stays knows when each falls due, and does not wait for the next sweep", {
    timeout: 120_000,
  }, async () => {
    const { stop } = await place.janitor({ intervalMs: 3_600_000 });
    const { instance, namespace } = await place.running(3000);
    await expect.poll(() => isEnding(instance.metadata.name), eventually).toBe(true);
    await expect.poll(() => place.exists(Namespaces, "", namespace), eventually).toBe(false);
    await stop();
  });

  test("one whose clock is ten minutes ahead ends what is due by the server, and nobody early", {
    timeout: 120_000,
  }, async () => {
    const ahead = { ...systemClock, now: () => systemClock.now() + 600_000 };
    const [lives, due] = [await place.running(300_000), await place.running(-5000)];
    const { stop, scrape } = await place.janitor({}, ahead);
    await expect.poll(() => isEnding(due.instance.metadata.name), eventually).toBe(true);
    await expect.poll(() => place.exists(Namespaces, "", due.namespace), eventually).toBe(false);
    expect([await isEnding(lives.instance.metadata.name), await place.stands(lives.namespace)]).toEqual([false, true]);
    expect(await scrape()).toMatch(/^berg_janitor_clock_offset_seconds (599|60[0-9])$/m);
    await stop();
  });

  describe("three janitors that stay", { timeout: 120_000 }, () => {
    test("end what expires in time, and sweep ghosts; beside each other and the living", async () => {
      const janitors = [await place.janitor(), await place.janitor(), await place.janitor()];
      const lives = await place.running(3_600_000);
      const soon = await Promise.all([3000, 3000, 3000].map((ms) => place.running(ms)));
      const ghost = await place.namespaceFor(randomUUID());
      const due = Math.max(...soon.map(({ instance }) => Date.parse(instance.status?.expiresAt ?? "")));
      for (const { instance, namespace } of soon) {
        await expect.poll(() => isEnding(instance.metadata.name), eventually).toBe(true);
        await expect.poll(() => place.exists(Deployments, namespace, "web"), eventually).toBe(false);
        await expect.poll(async () => (await place.client.list(Pods, { namespace })).items.length, eventually).toBe(0);
      }
      // Five seconds are what is promised; a busy machine gets more.
      expect(Date.now() - due).toBeLessThan(20_000);
      for (const name of [...soon.map(({ namespace }) => namespace), ghost])
        await expect.poll(() => place.exists(Namespaces, "", name), eventually).toBe(false);
      expect(await place.stands(lives.namespace)).toBe(true);
      expect(await isEnding(lives.instance.metadata.name)).toBe(false);

      const figures = await Promise.all(janitors.map(({ scrape }) => scrape()));
      const sum = (line: RegExp) => figures.reduce((total, text) => total + Number(line.exec(text)?.[1] ?? 0), 0);
      // Each object was deleted by one of them, and the others found that no failure.
      expect(sum(/^berg_janitor_deleted_total\{kind="ChallengeInstance"\} (\d+)$/m)).toBe(3);
      expect(sum(/^berg_janitor_deleted_total\{kind="Namespace"\} (\d+)$/m)).toBe(4);
      expect(sum(/^berg_janitor_failures_total\{kind="\w+"\} ([1-9]\d*)$/m)).toBe(0);
      await Promise.all(janitors.map(({ stop }) => stop()));
    });
  });

  // Last: it takes our kinds away.
  test("with the definition of ChallengeInstances gone, nothing is swept, and it is said why", async () => {
    const ghost = await place.namespaceFor(randomUUID());
    const name = "challengeinstances.berg.norelect.ch";
    for (const { metadata } of (await place.client.listAll(ChallengeInstances)).items) {
      const withoutFinalizers = { type: "merge", body: { metadata: { finalizers: null } } } as const;
      await place.client.patch(ChallengeInstances, "berg", metadata.name, withoutFinalizers);
    }
    await place.client.delete(CustomResourceDefinitions, "", name);
    await expect.poll(() => place.exists(CustomResourceDefinitions, "", name), eventually).toBe(false);
    await expect
      .poll(
        () =>
          place.client.list(ChallengeInstances).then(
            () => "served",
            () => "gone",
          ),
        eventually,
      )
      .toBe("gone");
    const { actions, problems } = await once();
    expect(actions).toEqual([]);
    expect(problems).toEqual([expect.stringContaining("nothing can be swept that cannot be read")]);
    expect(await place.stands(ghost)).toBe(true);
  }, 120_000);
}
