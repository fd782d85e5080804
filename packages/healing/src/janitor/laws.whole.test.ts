/**
 * What holds whatever others do between any two requests of several janitors, each of which acts on a picture of the
 * past: nothing goes that is not ours or not due, and in the end everything that is due has gone.
 */
import { formatTime, type KubeObject, type Stored } from "@berg/apimachinery";
import { Deployments, Namespaces, Pods } from "@berg/kube";
import { type ChallengeInstance, ChallengeInstances } from "@berg/resources";
import fc from "fast-check";
import { expect, test } from "vitest";
import { isDue } from "../expired/due.ts";
import { endIfDue } from "../expired/end.ts";
import { chooseGhosts } from "../ghosts/choose.ts";
import { findGhosts, Sightings } from "../ghosts/find.ts";
import { sweepGhosts } from "../ghosts/sweep.ts";
import { GoingNamespaces } from "../removing/going.ts";
import { instanceUidOf, instanceUidOfNamespace } from "../removing/marks.ts";
import { type Sight, sightOf } from "../removing/sight.ts";
import { ModelCluster } from "../removing/testing/model-cluster.ts";
import { makeDeployment, makeInstance, makeNamespace, makePod, marksOf, start } from "../removing/testing/objects.ts";

const graceMs = 2000;
const ghostGraceMs = 60_000;
const owners = ["a", "b"];

/** What others do. Each says what, to whom, and with which number. */
const deeds = {
  wait(cluster: ModelCluster, _: string, seconds: number) {
    cluster.now += seconds * 1000;
  },
  start(cluster: ModelCluster, owner: string, seconds: number) {
    if (instanceOf(cluster, owner)) return;
    const uid = newUid();
    const instance = makeInstance(owner, { uid });
    const expiry = { status: { expiresAt: formatTime(cluster.now + seconds * 1000) } };
    cluster.put({ ...instance, ...(seconds % 3 > 0 && expiry) } as Stored<ChallengeInstance>);
    if (namespaceOf(cluster, owner)) return;
    const name = `challenge-${owner}`;
    const fields = { labels: marksOf(uid), created: (cluster.now - start) / 1000, namespace: name };
    cluster.put(makeNamespace(name, { ...fields, uid: newUid(), namespace: undefined as never }));
    cluster.put(makeDeployment("web", { ...fields, uid: newUid() }));
    cluster.put(makePod("web-1", { ...fields, uid: newUid() }));
    // Somebody else's, beside it.
    cluster.put(makePod("theirs", { ...fields, labels: { app: "theirs" }, uid: newUid() }));
  },
  renew(cluster: ModelCluster, owner: string, seconds: number) {
    const instance = instanceOf(cluster, owner);
    if (!instance || instance.metadata.deletionTimestamp) return;
    const renewed = { ...instance, status: { expiresAt: formatTime(cluster.now + seconds * 1000) } };
    cluster.put(renewed as Stored<KubeObject>);
  },
  loseInstance(cluster: ModelCluster, owner: string) {
    const instance = instanceOf(cluster, owner);
    if (instance) cluster.drop(instance);
  },
  /** A fresh instance takes over the namespace. */
  claim(cluster: ModelCluster, owner: string) {
    const namespace = namespaceOf(cluster, owner);
    if (!namespace || instanceOf(cluster, owner) || namespace.metadata.deletionTimestamp) return;
    const uid = newUid();
    cluster.put(makeInstance(owner, { uid }));
    cluster.put({ ...namespace, metadata: { ...namespace.metadata, labels: marksOf(uid) } });
  },
  unmark(cluster: ModelCluster, owner: string) {
    const namespace = namespaceOf(cluster, owner);
    if (namespace) cluster.put({ ...namespace, metadata: { ...namespace.metadata, labels: {} } });
  },
  makeAnew(cluster: ModelCluster, owner: string) {
    const namespace = namespaceOf(cluster, owner);
    const instance = instanceOf(cluster, owner);
    if (!namespace || !instance || instance.metadata.deletionTimestamp) return;
    cluster.drop(namespace);
    cluster.put(makeNamespace(`challenge-${owner}`, { uid: newUid(), labels: marksOf(instance.metadata.uid) }));
  },
  /** What Kubernetes does with what goes. */
  finish(cluster: ModelCluster) {
    for (const each of [...cluster.list(Pods), ...cluster.list(Namespaces)])
      if (each.metadata.deletionTimestamp !== undefined) cluster.drop(each);
  },
};

let uids = 0;
const newUid = () => `uid-${uids++}`;
const instanceOf = (cluster: ModelCluster, owner: string) =>
  cluster.list(ChallengeInstances).find(({ metadata }) => metadata.name === owner);
const namespaceOf = (cluster: ModelCluster, owner: string) =>
  cluster.list(Namespaces).find(({ metadata }) => metadata.name === `challenge-${owner}`);

class ModelJanitor {
  readonly #cluster: ModelCluster;
  readonly #sightings = new Sightings();
  #sight: Sight;

  constructor(cluster: ModelCluster) {
    this.#cluster = cluster;
    this.#sight = this.#now();
  }

  #now(): Sight {
    const list = this.#cluster;
    return sightOf({
      instances: list.list(ChallengeInstances),
      namespaces: list.list(Namespaces),
      deployments: list.list(Deployments),
      pods: list.list(Pods),
    });
  }

  look(): void {
    this.#sight = this.#now();
  }

  async act(): Promise<void> {
    const { client, now } = this.#cluster;
    const sight = this.#sight;
    const going = new GoingNamespaces(() => sight.namespaces);
    const removing = { client, going, report() {}, signal: new AbortController().signal };
    for (const instance of sight.instances) await endIfDue(removing, instance, sight, { graceMs, now });
    const ghosts = findGhosts(sight.namespaces, new Set(sight.instances.map(({ metadata }) => metadata.uid)));
    this.#sightings.note(ghosts, now);
    const { firstSeen } = this.#sightings;
    const { sweep } = chooseGhosts(ghosts, {
      firstSeen,
      now,
      graceMs: ghostGraceMs,
      namespaces: sight.namespaces.length,
    });
    await sweepGhosts(sweep, { removing, sight, now });
  }
}

type Deed = { what: keyof typeof deeds; owner: string; seconds: number };
type Turn = Deed | { janitor: number; does: "look" | "act" };

const deed: fc.Arbitrary<Deed> = fc.record({
  what: fc.constantFrom(...(Object.keys(deeds) as (keyof typeof deeds)[])),
  owner: fc.constantFrom(...owners),
  seconds: fc.nat({ max: 90 }),
});
const turn: fc.Arbitrary<Turn> = fc.oneof(
  deed,
  fc.record({ janitor: fc.nat({ max: 1 }), does: fc.constantFrom("look" as const, "act" as const) }),
);

function checkDeletions({ deletions }: ModelCluster): void {
  const ended = new Set(deletions.map(({ object }) => object.metadata.uid));
  for (const { kind, object, instances, now } of deletions) {
    if (kind === "ChallengeInstance") {
      expect(isDue(object as Stored<ChallengeInstance>, graceMs, now)).toBe(true);
      continue;
    }
    const uid = kind === "Namespace" ? instanceUidOfNamespace(object) : instanceUidOf(object);
    expect(uid).toBeDefined();
    const owner = instances.find(({ metadata }) => metadata.uid === uid);
    if (owner) expect(owner.metadata.deletionTimestamp).toBeDefined();
    // Else it is a ghost, unless its instance, which was ending, has gone in this moment.
    else if (!ended.has(uid ?? ""))
      expect(now - Date.parse(object.metadata.creationTimestamp)).toBeGreaterThanOrEqual(ghostGraceMs);
  }
}

test("nothing goes that is not ours or not due, and what is due goes in the end", async () => {
  let swept = 0;
  const run = async (turns: readonly Turn[], interruptions: readonly Deed[]) => {
    const cluster = new ModelCluster(start);
    for (const name of ["kube-system", "challenge-foreign"]) cluster.put(makeNamespace(name, { uid: newUid() }));
    cluster.put(makeNamespace("renamed", { uid: newUid(), labels: marksOf("gone") }));
    const janitors = [new ModelJanitor(cluster), new ModelJanitor(cluster)];
    const waiting = interruptions.values();
    cluster.meanwhile = () => {
      const { value } = waiting.next();
      if (value) deeds[value.what](cluster, value.owner, value.seconds);
    };
    for (const each of turns) {
      if ("what" in each) deeds[each.what](cluster, each.owner, each.seconds);
      else await janitors[each.janitor]?.[each.does]();
    }
    checkDeletions(cluster);

    // Left alone, they come to an end.
    cluster.meanwhile = () => {};
    for (let round = 0; round < 12; round++) {
      cluster.now += 15_000;
      for (const janitor of janitors) {
        janitor.look();
        await janitor.act();
      }
      deeds.finish(cluster);
    }
    checkDeletions(cluster);
    const living = cluster.list(ChallengeInstances);
    for (const instance of living) {
      const isEnding = instance.metadata.deletionTimestamp !== undefined;
      expect(isEnding).toBe(isDue(instance, graceMs, cluster.now));
      if (isEnding) expect(cluster.list(Namespaces).map(instanceUidOf)).not.toContain(instance.metadata.uid);
    }
    expect(findGhosts(cluster.list(Namespaces), new Set(living.map(({ metadata }) => metadata.uid)))).toEqual([]);
    const others = cluster.list(Namespaces).map(({ metadata }) => metadata.name);
    expect(others).toEqual(expect.arrayContaining(["kube-system", "challenge-foreign", "renamed"]));
    swept += cluster.deletions.length;
  };
  await fc.assert(fc.asyncProperty(fc.array(turn, { maxLength: 40 }), fc.array(deed, { maxLength: 20 }), run), {
    numRuns: 2500,
  });
  expect(swept).toBeGreaterThan(1000);
});
