/** Records and ghosts, with the real controller and simulated pods: the same on every control plane. */
import { randomUUID } from "node:crypto";
import type { Stored } from "@berg/apimachinery";
import { Namespaces, Pods } from "@berg/kube";
import { type ChallengeInstance, ChallengeInstances, Challenges, labels, managedByBerg } from "@berg/resources";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { refuseImages } from "../../../../test/scenarios/image-policy.ts";
import type { StartWorld } from "../../../../test/scenarios/seeing.ts";
import { openDatabaseRecords } from "../records/database/database-records.ts";
import { listenerWorld, poll } from "./listener-world.ts";
import type { RunningListener } from "./start-listener.ts";

export function describeRecords(startWorld: StartWorld): void {
  const here = listenerWorld(startWorld);
  const { start, podsOf, instanceThat, read } = here;

  describe("the record of an instance", { timeout: 60_000 }, () => {
    let listener: RunningListener;
    beforeAll(async () => {
      listener = await start();
    });
    afterAll(() => listener.stop());
    const recordOf = ({ metadata }: Stored<ChallengeInstance>) => listener.records.get(metadata.uid);

    test("is opened, runs, follows its pods and its time, and is closed with its namespace", async () => {
      const challenge = await here.world.challenge().container("web").with({ timeout: "1h" }).create();
      const created = await here.world.instance(challenge).create();
      await poll(async () => expect(await recordOf(created)).toMatchObject({ status: "RUNNING" }));
      const instance = await here.world.client.get(ChallengeInstances, "berg", created.metadata.name);
      const [pod] = await podsOf(instance);
      const { startedAt = "", expiresAt = "", namespace = "" } = instance.status ?? {};
      await poll(async () =>
        expect(await recordOf(created)).toMatchObject({
          instance: { namespace: "berg", name: created.metadata.name },
          namespace,
          ownerId: created.spec.ownerId,
          challenge: challenge.metadata.name,
          startedAt: Date.parse(startedAt),
          reservedUntil: Date.parse(expiresAt),
          pods: { web: { uid: pod?.metadata.uid, restarts: 0, replaced: 0 } },
        }),
      );

      if (pod) await here.world.simulator.restart(pod);
      await poll(async () => expect((await recordOf(created))?.pods.web).toMatchObject({ restarts: 1, replaced: 0 }));
      await here.world.client.delete(Pods, namespace, pod?.metadata.name ?? "");
      await poll(async () => expect((await recordOf(created))?.pods.web).toMatchObject({ restarts: 0, replaced: 1 }));
      expect(await recordOf(created)).not.toHaveProperty("stoppedAt");

      // A second later, or there is nothing to gain.
      await poll(async () => expect(Date.now()).toBeGreaterThan(Date.parse(startedAt) + 2000));
      await here.world.client.patch(ChallengeInstances, "berg", created.metadata.name, {
        type: "merge",
        body: { spec: { renewals: 1 } },
      });
      await poll(async () => expect((await recordOf(created))?.reservedUntil).toBeGreaterThan(Date.parse(expiresAt)));

      await here.world.client.delete(Namespaces, "", namespace);
      await poll(async () =>
        expect((await listener.records.open()).map(({ uid }) => uid)).not.toContain(created.metadata.uid),
      );
    });
  });

  test("an instance that the server refuses holds no place, and one again when its Challenge is put right", {
    timeout: 90_000,
  }, async () => {
    await using listener = await start();
    await refuseImages(here.world.client, "deployments.invalid.example.com");
    const image = "deployments.invalid.example.com/web:1";
    const challenge = await here.world.challenge().container("web", { image }).with({ timeout: "1h" }).create();
    const created = await here.world.instance(challenge).create();
    const recordOf = async () => {
      const { body } = await listener.metrics.render();
      const record = await listener.records.get(created.metadata.uid);
      return { ...record, mismatch: /^berg_listener_record_mismatch (\S+)$/m.exec(body)?.[1] };
    };
    await here.world.until(created, ({ status }) => status?.reason === "ManifestRefused");
    await poll(async () => expect(await recordOf()).toMatchObject({ status: "STOPPED", mismatch: "0" }));
    const patch = { type: "merge", body: { spec: { containers: [{ hostname: "web", image: "web:1" }] } } } as const;
    await here.world.client.patch(Challenges, here.world.namespace, challenge.metadata.name, patch);
    const running = await here.world.until(created, ({ status }) => status?.phase === "Running");
    const [pod] = await podsOf(running);
    await poll(async () => {
      const record = await recordOf();
      expect(record).toMatchObject({
        status: "RUNNING",
        reservedUntil: Date.parse(running.status?.expiresAt ?? ""),
        pods: { web: { uid: pod?.metadata.uid } },
        mismatch: "0",
      });
      expect(record).not.toHaveProperty("stoppedAt");
    });
  });

  test("a namespace whose instance is gone is swept after its time, and no other", { timeout: 90_000 }, async () => {
    const ghost = await here.world.client.create(Namespaces, namespaceOf("challenge-ghost", randomUUID()));
    const foreign = await here.world.client.create(Namespaces, { metadata: { name: "challenge-of-somebody-else" } });
    const living = await instanceThat("ready", '"running"');
    await using _listener = await start({ env: { GHOST_GRACE: "1s" } });
    const isGoing = async (name: string) =>
      here.world.client.get(Namespaces, "", name).then(
        ({ metadata }) => metadata.deletionTimestamp !== undefined,
        () => true,
      );
    await poll(async () => expect(await isGoing(ghost.metadata.name)).toBe(true));
    expect(await isGoing(foreign.metadata.name)).toBe(false);
    expect(await isGoing((await read(living)).status?.namespace ?? "")).toBe(false);
  });

  describe("records in a database", { timeout: 120_000 }, () => {
    test("are true again after instances came and went while there was no listener", async () => {
      await using records = await openDatabaseRecords({ database: ":memory:" });
      const openUids = async () =>
        (await records.open())
          .map(({ uid }) => uid)
          .filter((uid) => mine.has(uid))
          .sort();
      const mine = new Set<string>();
      const challenge = await here.world.challenge().container("web").create();
      const running = async () => {
        const instance = await here.world.instance(challenge).create();
        mine.add(instance.metadata.uid);
        return here.world.until(instance, ({ status }) => status?.phase === "Running");
      };
      const [stays, deleted, lost] = await Promise.all([running(), running(), running()]);
      const first = await start({ records });
      await poll(async () => expect(await openUids()).toEqual([...mine].sort()));
      await first.stop();

      await here.world.client.delete(ChallengeInstances, "berg", deleted.metadata.name);
      await here.world.client.delete(Namespaces, "", lost.status?.namespace ?? "");
      await Promise.all([here.world.untilGone(deleted), here.world.untilGone(lost)]);
      // The same name, another life.
      const again = await here.world.instance(challenge).ownedBy(deleted.spec.ownerId).create();
      mine.add(again.metadata.uid);
      await here.world.until(again, ({ status }) => status?.phase === "Running");
      expect(await openUids()).toHaveLength(3);

      await using second = await start({ records });
      await poll(async () => expect(await openUids()).toEqual([stays.metadata.uid, again.metadata.uid].sort()));
      for (const { metadata, status } of [deleted, lost]) {
        const record = await records.get(metadata.uid);
        expect(record).toMatchObject({ status: "STOPPED", startedAt: Date.parse(status?.startedAt ?? "") });
        expect(record?.stoppedAt).toBeGreaterThanOrEqual(Date.parse(status?.startedAt ?? ""));
      }
      await poll(async () => {
        const { body } = await second.metrics.render();
        const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(body)?.[1]);
        expect(figure("berg_listener_record_mismatch")).toBe(
          figure("berg_listener_live_namespaces") - figure("berg_listener_open_records"),
        );
        expect(figure("berg_listener_records_stopped_total")).toBe(2);
      });
    });
  });
}

function namespaceOf(name: string, instance: string) {
  return { metadata: { name, labels: { [labels.managedBy]: managedByBerg, [labels.instanceUid]: instance } } };
}
