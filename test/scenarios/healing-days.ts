/**
 * Bad days of the deployment listener: the API server is restarted, watches are cut, the history is forgotten, namespaces
 * are deleted by hand, the listener itself is gone. Afterwards its records say what there is.
 */
import type { Stored } from "@berg/apimachinery";
import { openDatabaseRecords, type RuntimeRecords } from "@berg/healing";
import { Namespaces, Pods } from "@berg/kube";
import { type ChallengeInstance, ChallengeInstances, foreignConditions, labels } from "@berg/resources";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../runtime/eventually.ts";
import { Cell } from "./cells.ts";
import { inParallel } from "./in-parallel.ts";
import type { RunningListener } from "./listeners.ts";
import { conditionOf, isIn, isRunning, namespaceOf, type StartWorld } from "./seeing.ts";
import type { World, WorldControlPlane } from "./world.ts";

type Instance = Stored<ChallengeInstance>;

export interface FragilePlane extends WorldControlPlane {
  /** Its API server ends, and comes back at the same place with the same objects. */
  restart(): Promise<void>;
  /** Whoever watches from what was before is refused (410). */
  forget(): Promise<void>;
}

const hasty = { STUCK_IGNORE_YOUNGER: "0s", STUCK_ERROR_AFTER: "1s" };
const missing = "image-pull backoff=100ms message=manifest unknown";
/** In ms: after whatever happened, the records are true again. */
const healedWithin = 10_000;
const outageMs = 5000;
/** Each check lists every instance and its pods: more often, it would slow down what it waits for. */
const healedPollMs = 200;
/** Whoever was refused again and again waits for up to half a minute, and once more where the history is gone. */
const outlastsBackoffMs = 90_000;

export function describeHealingDays(startWorld: StartWorld, startPlane: () => Promise<FragilePlane>): void {
  let plane: FragilePlane;
  let world: World;
  let cell: Cell;
  let records: RuntimeRecords;
  let listener: RunningListener;
  const known: Instance[] = [];

  const startListener = async () => {
    listener = await world.startListener({ only: cell.namespace, env: hasty, records });
  };

  beforeAll(async () => {
    world = await startWorld({
      controlPlane: async () => {
        plane = await startPlane();
        return plane;
      },
    });
    cell = await Cell.start(world);
    records = await openDatabaseRecords({ database: ":memory:" });
    await startListener();
  });
  afterAll(async () => {
    await world?.end();
    await records?.[Symbol.asyncDispose]();
  });

  const begin = async (behaviour = "ready"): Promise<Instance> => {
    const challenge = await world.challenge().container("web").behaving(behaviour).create();
    const created = await cell.instance(challenge).create();
    known.push(created);
    return created;
  };
  const beginAll = async (count: number): Promise<Instance[]> => {
    const all = await Promise.all(Array.from({ length: count }, () => begin()));
    return Promise.all(all.map((instance) => world.until(instance, isRunning, { within: 90_000 })));
  };
  const end = async ({ metadata }: Instance) => {
    await world.client.delete(ChallengeInstances, metadata.namespace ?? "", metadata.name);
  };
  const renew = async ({ metadata }: Instance) => {
    const body = { spec: { renewals: 1 } };
    await world.client.patch(ChallengeInstances, metadata.namespace ?? "", metadata.name, { type: "merge", body });
  };
  const podsOf = async ({ metadata, spec }: Instance) => {
    const labelSelector = `${labels.instanceUid}=${metadata.uid}`;
    return (await world.client.list(Pods, { namespace: namespaceOf({ spec }), labelSelector })).items;
  };
  const replacePod = async (instance: Instance) => {
    for (const { metadata } of await podsOf(instance))
      await world.client.delete(Pods, metadata.namespace ?? "", metadata.name, { gracePeriodSeconds: 0 });
  };

  /** What the records say and is not so. */
  async function untruths(): Promise<string[]> {
    const { items } = await world.client.listAll(ChallengeInstances, { namespace: cell.namespace });
    const lives = items.filter(({ status }) => status?.namespace !== undefined && status.phase !== "Terminated");
    const open = new Map((await records.open()).map((record) => [record.uid, record]));
    const wrong: string[] = [];
    for (const instance of lives) {
      const { metadata, status } = instance;
      const record = open.get(metadata.uid);
      const wants = status?.readyAt === undefined ? "STARTING" : "RUNNING";
      if (status?.phase === "Terminating") continue;
      if (record?.status !== wants) wrong.push(`${metadata.name}: ${record?.status} and not ${wants}`);
      const until = status?.expiresAt === undefined ? undefined : Date.parse(status.expiresAt);
      if (record?.reservedUntil !== until) wrong.push(`${metadata.name}: its place is held until another time`);
      const [pod] = (await podsOf(instance)).filter((found) => !found.metadata.deletionTimestamp);
      if (record?.pods.web?.uid !== pod?.metadata.uid) wrong.push(`${metadata.name}: another pod runs it`);
    }
    const alive = new Set(lives.map(({ metadata }) => metadata.uid));
    for (const uid of open.keys()) if (!alive.has(uid)) wrong.push(`${uid}: open, and gone`);
    for (const { metadata } of known.filter((instance) => !alive.has(instance.metadata.uid))) {
      const record = await records.get(metadata.uid);
      if (record && record.stoppedAt === undefined) wrong.push(`${metadata.name}: no time of its end`);
    }
    return wrong;
  }

  async function healed(within = outlastsBackoffMs): Promise<void> {
    let last: string[] = [];
    const isTrue = async () => {
      last = await untruths();
      return last.length === 0;
    };
    await eventually("the records are true", isTrue, within, healedPollMs).catch((error: Error) => {
      throw new Error(`${error.message}: ${last.slice(0, 5).join("; ")}`);
    });
  }

  /** Some come, some go, some get more time, some another pod. */
  async function comeAndGo(lives: Instance[]): Promise<void> {
    const [first, second, third, ...rest] = lives as [Instance, Instance, Instance];
    await Promise.all([end(first), renew(second), replacePod(third)]);
    const come = await beginAll(3);
    await world.until(second, ({ status }) => status?.renewals === 1);
    await world.untilGone(first, { within: 60_000 });
    for (const instance of [second, third, ...rest, ...come]) await world.until(instance, isRunning);
  }

  afterEach(async () => {
    listener.proxy.answer = () => undefined;
  });

  describe("the records are true", () => {
    test("in a life without trouble", async () => {
      await comeAndGo(await beginAll(3));
      await healed();
    });

    test("after the API server was restarted", async () => {
      const lives = await beginAll(3);
      await healed();
      await plane.restart();
      await comeAndGo(lives);
      await healed();
    });

    test("after watches were open and silent", async () => {
      const lives = await beginAll(3);
      await healed();
      listener.proxy.freezeWatches();
      await comeAndGo(lives);
      expect(await untruths()).not.toEqual([]);
      // What the network does to them in the end.
      listener.proxy.cutWatches();
      await healed();
    });

    test("after the server has forgotten what was before", async () => {
      const lives = await beginAll(3);
      await healed();
      const { proxy } = listener;
      // Silent, and not refused: the listener would wait longer after each refusal, which another test is for.
      proxy.freezeWatches();
      await comeAndGo(lives);
      const asked = proxy.requests.length;
      await plane.forget();
      proxy.cutWatches();
      await healed();
      const lists = proxy.requests.slice(asked).filter(({ verb, watch }) => verb === "list" && !watch);
      expect(lists.map(({ resource }) => resource)).toContain("pods");
    });

    test("after a namespace was deleted by hand, which ends its instance", async () => {
      const [lost] = (await beginAll(1)) as [Instance];
      await healed();
      await world.client.delete(Namespaces, "", namespaceOf(lost));
      const last = await world.untilGone(lost, { within: 60_000 });
      expect(last.status).toMatchObject({ phase: "Terminated", terminationReason: "Failure" });
      await healed();
      expect(await records.get(lost.metadata.uid)).toMatchObject({ status: "STOPPED", stoppedAt: expect.any(Number) });
    });

    // After this one the listener waits longer before it watches again. The next test starts another listener.
    test("after no watch got through for a while", async () => {
      const lives = await beginAll(3);
      await healed();
      const { proxy } = listener;
      proxy.answer = ({ watch }) => (watch ? "reset" : undefined);
      proxy.cutWatches();
      const cut = performance.now();
      await comeAndGo(lives);
      await eventually("the outage is over", () => performance.now() - cut > outageMs);
      expect(await untruths()).not.toEqual([]);
      proxy.answer = () => undefined;
      await healed();
    });

    test("soon after the listener is back, though a hundred came and went meanwhile", {
      timeout: 400_000,
    }, async () => {
      const before = await beginAll(10);
      await healed();
      await listener.kill();
      // Each of them waits most of the time.
      const failures = await inParallel(
        25,
        Array.from({ length: 100 }, (_, nth) => nth),
        String,
        async (nth) => {
          const instance = await begin();
          await world.until(instance, isRunning, { within: 120_000 });
          if (nth % 5 === 0) return;
          await end(instance);
          await world.untilGone(instance, { within: 120_000 });
        },
      );
      expect(failures).toEqual([]);
      await comeAndGo(before);
      await startListener();
      await healed(healedWithin);
    });
  });

  test("what the listener said before it died is taken back by the next", async () => {
    const created = await begin(missing);
    const failed = await world.until(created, isIn("Failed", "ImageCannotBePulled"), { within: 60_000 });
    await listener.kill();
    for (const pod of await podsOf(failed)) await world.simulator.behave(pod, "ready");
    const left = await world.until(created, isRunning);
    expect(conditionOf(left, foreignConditions.stuck)).toMatchObject({ status: "True" });
    await startListener();
    const isTakenBack = (instance: Instance) => conditionOf(instance, foreignConditions.stuck)?.status === "False";
    expect((await world.until(created, isTakenBack)).status).toMatchObject({ phase: "Running" });
    await healed();
  });
}
