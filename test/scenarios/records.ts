/** Records that are kept in an instance's own status, while the controller writes to the same. */
import { parseTime, type Stored } from "@berg/apimachinery";
import { ClusterRecords, type Life } from "@berg/healing";
import { Informer, OwnWrites, systemClock } from "@berg/kube";
import { type ChallengeInstance, ChallengeInstances } from "@berg/resources";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isRunning, type StartWorld } from "./seeing.ts";
import type { World } from "./world.ts";

const mostWrites = 60;

export function describeRecords(startWorld: StartWorld): void {
  let world: World;

  beforeAll(async () => {
    world = await startWorld();
    await world.startController();
  });
  afterAll(async () => {
    await world?.stop();
  });

  test("neither the controller nor the record takes back what the other wrote, in a whole life", async () => {
    const stopping = new AbortController();
    const informer = new Informer({ client: world.client, type: ChallengeInstances });
    const running = informer.run(stopping.signal).catch(() => {});
    await informer.synced(stopping.signal);
    await using records = new ClusterRecords({ client: world.client, instances: new OwnWrites(informer, systemClock) });
    const challenge = await world.challenge().container("web").port(80, "internalPort").create();
    const instance = await world.instance(challenge).create();
    const { uid } = instance.metadata;
    const life = lifeOf(await world.until(instance, ({ status }) => status?.namespace !== undefined));
    await expect.poll(() => informer.list().some(({ status }) => status?.namespace === life.namespace)).toBe(true);

    // As often as can be, so that the two meet; the controller's own writes are few.
    let isOver = false;
    let written = 0;
    const write = async () => {
      while (!isOver && written < mostWrites) {
        await records.live({ ...life, status: written % 2 ? "RUNNING" : "STARTING" });
        await records.pod(uid, "web", { uid: "pod-1", restarts: ++written });
      }
    };
    const writing = write();
    await world.until(instance, isRunning, { within: 60_000 });
    isOver = true;
    await writing;
    expect(await records.get(uid)).toMatchObject({ pods: { web: { uid: "pod-1", restarts: written, replaced: 0 } } });

    expect(await records.stop(uid, life.startedAt + 1)).toBe(true);
    await world.client.delete(ChallengeInstances, life.instance.namespace, life.instance.name);
    const { status } = await world.untilGone(instance);
    expect(status?.phase).toBe("Terminated");
    expect(status?.runtime).toMatchObject({ state: "STOPPED", pods: [{ container: "web", restarts: written }] });
    await world.check();
    stopping.abort();
    await running;
  });
}

function lifeOf({ metadata, spec, status }: Stored<ChallengeInstance>): Life {
  return {
    uid: metadata.uid,
    instance: { namespace: metadata.namespace ?? "", name: metadata.name },
    namespace: status?.namespace ?? "",
    ownerId: spec.ownerId,
    challenge: spec.challengeRef.name,
    status: "STARTING",
    startedAt: parseTime(status?.startedAt ?? ""),
  };
}
