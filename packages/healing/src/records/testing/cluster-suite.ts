/** What holds of records in a cluster besides: how they live with the instance that they are a part of. */
import { isConflict, StatusError, type Stored } from "@berg/apimachinery";
import type { Client, OwnWrites } from "@berg/kube";
import { type ChallengeInstance, ChallengeInstances, fieldManagers } from "@berg/resources";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ClusterRecords } from "../cluster/cluster-records.ts";
import type { Life, RuntimeRecords } from "../runtime-records.ts";
import type { ClusterPlace } from "./cluster-place.ts";
import { startedAt } from "./place.ts";

type Writer = Pick<Client, "get" | "patch">;

export function clusterSuite(startPlace: () => Promise<ClusterPlace>): void {
  let place: ClusterPlace;
  let records: RuntimeRecords;
  let asked: string[];
  const pod = { uid: "pod-1", restarts: 0 };

  beforeAll(async () => {
    place = await startPlace();
    const { client } = place;
    const counting = {
      get: (...call: Parameters<Client["get"]>) => {
        asked.push("get");
        return client.get(...call);
      },
      patch: (...call: Parameters<Client["patch"]>) => {
        asked.push("patch");
        return client.patch(...call);
      },
    };
    records = await place.open(counting as Writer);
  });

  beforeEach(() => {
    asked = [];
  });

  afterAll(async () => {
    await records?.[Symbol.asyncDispose]();
    await place?.[Symbol.asyncDispose]();
  });

  /** Records whose cache has stopped at this moment. */
  const behind = (instance: Stored<ChallengeInstance>, client: Writer = place.client) => {
    const list = () => [instance];
    const instances = { list, byIndex: list, ensureIndex() {}, wrote() {} };
    return new ClusterRecords({ client, instances: instances as unknown as OwnWrites<ChallengeInstance> });
  };

  const writeStatus = (instance: Stored<ChallengeInstance>, status: ChallengeInstance["status"]) =>
    place.client.update(
      ChallengeInstances,
      { ...instance, status: { ...instance.status, ...status } },
      { subresource: "status", fieldManager: fieldManagers.controller },
    );

  async function recreated(life: Life): Promise<Stored<ChallengeInstance>> {
    await place.client.delete(ChallengeInstances, life.instance.namespace, life.instance.name);
    return place.create(life);
  }

  test("what changes nothing costs no request", async () => {
    const life = { ...(await place.newLife()), reservedUntil: startedAt + 60_000 };
    const note = async () => {
      await records.live(life);
      await records.pod(life.uid, "web", pod);
    };
    await note();
    expect(asked).toEqual(["patch", "patch"]);
    await note();
    await place.allSeen();
    await note();
    await records.stop(life.uid, startedAt);
    await records.stop(life.uid, startedAt);
    await records.pod(life.uid, "web", pod);
    await records.get(life.uid);
    await records.open();
    expect(asked).toEqual(["patch", "patch", "patch"]);
  });

  test("calls of one process for one instance do not run into each other", async () => {
    const life = await place.newLife();
    await Promise.all([
      records.live(life),
      ...["a", "b", "c"].map((name) => records.pod(life.uid, name, pod)),
      records.live({ ...life, status: "RUNNING" }),
    ]);
    expect(asked).not.toContain("get");
    expect(Object.keys((await records.get(life.uid))?.pods ?? {})).toEqual(["a", "b", "c"]);
  });

  test("a call that fails does not fail those that wait behind it", async () => {
    const life = await place.newLife();
    const { client } = place;
    let calls = 0;
    const patch = (...call: Parameters<Client["patch"]>) =>
      ++calls === 1 ? Promise.reject(new Error("the connection was lost")) : client.patch(...call);
    await using failing = await place.open({ get: client.get.bind(client), patch: patch as Client["patch"] });
    const [first, second] = await Promise.allSettled([failing.live(life), failing.live(life)]);
    expect([first?.status, second?.status]).toEqual(["rejected", "fulfilled"]);
    expect(await failing.get(life.uid)).toEqual({ ...life, pods: {} });
  });

  describe("an instance", () => {
    test("that the controller has not begun has no record", async () => {
      const life = await place.newLife();
      const fresh = { metadata: { ...life.instance, name: `fresh-${life.instance.name}` } };
      const spec = { challengeRef: { name: "web" }, ownerId: life.ownerId, renewals: 0, restarts: 0 };
      const { metadata } = await place.client.create(ChallengeInstances, { ...fresh, spec });
      await place.allSeen();
      expect(await records.live({ ...life, uid: metadata.uid })).toBe(false);
      expect(await records.stop(metadata.uid, startedAt)).toBe(false);
      expect([await records.get(metadata.uid), asked]).toEqual([undefined, []]);
    });

    test("that is gone has no record, and cannot be stopped", async () => {
      const life = await place.newLife();
      await records.live(life);
      await place.client.delete(ChallengeInstances, life.instance.namespace, life.instance.name);
      await place.allSeen();
      expect(await records.live(life)).toBe(false);
      expect(await records.stop(life.uid, startedAt)).toBe(false);
      expect([await records.get(life.uid), asked]).toEqual([undefined, ["patch"]]);
      expect((await records.open()).map(({ uid }) => uid)).not.toContain(life.uid);
    });

    test("that is gone unseen is not brought back", async () => {
      const life = await place.newLife();
      const old = behind(await place.instance(life));
      await place.client.delete(ChallengeInstances, life.instance.namespace, life.instance.name);
      expect(await old.live(life)).toBe(false);
      expect(await old.stop(life.uid, startedAt)).toBe(false);
      await expect(place.instance(life)).rejects.toThrow("not found");
    });

    test("that has taken the name of another does not get its record", async () => {
      const life = await place.newLife();
      await records.live(life);
      const old = behind(await place.instance(life));
      const { metadata } = await recreated(life);
      expect(await old.live({ ...life, status: "RUNNING" })).toBe(false);
      await old.pod(life.uid, "web", pod);
      expect(await old.stop(life.uid, startedAt)).toBe(false);
      expect(await place.instance(life)).toMatchObject({ metadata: { resourceVersion: metadata.resourceVersion } });
    });
  });

  describe("beside the controller", () => {
    test("a record is written though the status has changed unseen, and takes nothing back", async () => {
      const life = await place.newLife();
      await records.live(life);
      const instance = await place.instance(life);
      await writeStatus(instance, { phase: "Running", message: "all containers are ready" });
      await behind(instance).pod(life.uid, "web", pod);
      const { status } = await place.instance(life);
      expect(status).toMatchObject({ phase: "Running", message: "all containers are ready" });
      expect(status?.runtime?.pods).toEqual([{ container: "web", podUid: "pod-1", restarts: 0, replaced: 0 }]);
    });

    test("its write over a record that it has not seen is a conflict, and one over what it has seen keeps it", async () => {
      const life = await place.newLife();
      const before = await place.instance(life);
      await records.live(life);
      const error = await writeStatus(before, { phase: "Running" }).catch((error: unknown) => error);
      expect(isConflict(error)).toBe(true);
      await writeStatus(await place.instance(life), { phase: "Running" });
      await place.allSeen();
      expect(await records.get(life.uid)).toEqual({ ...life, pods: {} });
    });

    test("the listener's own condition and the record do not drive each other out", async () => {
      const life = await place.newLife();
      const { name, namespace } = life.instance;
      const stuck = (status: "True" | "False") =>
        place.client.apply(
          ChallengeInstances,
          { metadata: { name, namespace, uid: life.uid }, status: { conditions: [{ type: "Stuck", status }] } },
          { subresource: "status", fieldManager: fieldManagers.listener },
        );
      await stuck("True");
      await place.allSeen();
      await records.live(life);
      await stuck("False");
      await place.allSeen();
      await records.pod(life.uid, "web", pod);
      const { status } = await place.instance(life);
      expect(status?.conditions).toEqual([{ type: "Stuck", status: "False" }]);
      expect(status?.runtime).toMatchObject({ state: "STARTING", pods: [{ container: "web" }] });
    });

    test("the record is the listener's, and nobody else's", async () => {
      const life = await place.newLife();
      await records.live(life);
      await writeStatus(await place.instance(life), { phase: "Running" });
      const { metadata } = await place.instance(life);
      const owners = metadata.managedFields?.filter(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes('"f:runtime"'));
      expect(owners?.map(({ manager }) => manager)).toEqual([fieldManagers.listener]);
    });

    test("a record that never gets through is given up as a conflict, and the next call is not held up by it", async () => {
      const life = await place.newLife();
      const { client } = place;
      let isBusy = true;
      const busy = {
        get: client.get.bind(client),
        patch: async (...call: Parameters<Client["patch"]>) => {
          if (isBusy) await writeStatus(await place.instance(life), { message: `${performance.now()}` });
          return client.patch(...call);
        },
      };
      const old = behind(await place.instance(life), busy as Writer);
      const error = await old.live(life).catch((error: unknown) => error);
      expect([error instanceof StatusError, isConflict(error)]).toEqual([true, true]);
      isBusy = false;
      await old.live(life);
      await place.allSeen();
      expect(await records.get(life.uid)).toEqual({ ...life, pods: {} });
    });
  });
}
