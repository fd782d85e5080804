/** What one sweep leaves undone it says, and it keeps nothing else from being done. */
import { type KubeObject, parseTime, type ResourceType } from "@berg/apimachinery";
import { type Client, Deployments, Namespaces } from "@berg/kube";
import { FakeClock, refusal } from "@berg/kube/testing";
import { ChallengeInstances } from "@berg/resources";
import { expect, test } from "vitest";
import { ModelCluster } from "../removing/testing/model-cluster.ts";
import { at, makeDeployment, makeInstance, makeNamespace, marksOf, start } from "../removing/testing/objects.ts";
import { sweepOnce } from "./sweep-once.ts";

const settings = { graceMs: 2000, ghostGraceMs: 60_000 };

/** Two instances that are due and a ghost, each with its namespace. */
function place() {
  const cluster = new ModelCluster(start + 3_600_000);
  for (const owner of ["a", "b"]) {
    cluster.put(makeInstance(owner, { uid: owner, expires: 10 }));
    cluster.put(makeNamespace(`challenge-${owner}`, { labels: marksOf(owner) }));
  }
  cluster.put(makeNamespace("challenge-ghost", { labels: marksOf("gone") }));
  return cluster;
}

/** Time goes on by itself while the sweep waits; Kubernetes removes what goes meanwhile. */
async function sweep(cluster: ModelCluster, more: Partial<Client> = {}, options: object = {}) {
  const clock = new FakeClock(cluster.now);
  const client = { ...cluster.client, ...more } as Client;
  const { signal } = new AbortController();
  let isOver = false;
  const swept = sweepOnce({ client, settings, clock, signal, ...options }).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    await clock.advance(1000);
    cluster.now = clock.now();
  }
  return swept;
}

const deletedIn = (cluster: ModelCluster) =>
  cluster.deletions.map(({ kind, object }) => `${kind} ${object.metadata.name}`);
const listing = (cluster: ModelCluster, refused: ResourceType<KubeObject>, after = 0): Partial<Client> => {
  let asked = 0;
  return {
    listAll: (type) =>
      type.kind === refused.kind && asked++ >= after
        ? Promise.reject(refusal(403, { reason: "Forbidden", message: "not yours" }))
        : cluster.client.listAll(type),
  };
};

test("ends what is due, sweeps ghosts, and has no problems", async () => {
  const cluster = place();
  const { actions, problems } = await sweep(cluster);
  expect(problems).toEqual([]);
  expect(actions.map(({ did, kind, name }) => [did, kind, name])).toEqual([
    ["deleted", "ChallengeInstance", "berg/a"],
    ["deleted", "ChallengeInstance", "berg/b"],
    ["deleted", "Namespace", "challenge-a"],
    ["deleted", "Namespace", "challenge-b"],
    ["deleted", "Namespace", "challenge-ghost"],
  ]);
  expect(actions[0]?.why).toBe(`its time was up at ${at(10)}`);
  expect(actions.at(-1)?.why).toBe("there is no ChallengeInstance with the UID gone");
});

test.each([ChallengeInstances, Namespaces, Deployments] as ResourceType<KubeObject>[])(
  "where the list of $resource is refused nothing is swept",
  async (type) => {
    const cluster = place();
    const { actions, problems } = await sweep(cluster, listing(cluster, type));
    expect([actions, deletedIn(cluster)]).toEqual([[], []]);
    expect(problems).toEqual(["nothing can be swept that cannot be read: not yours"]);
  },
);

test("where ChallengeInstances can no longer be read before ghosts go, these stay", async () => {
  const cluster = place();
  const { problems } = await sweep(cluster, listing(cluster, ChallengeInstances as ResourceType<KubeObject>, 1));
  expect(problems).toEqual(["not yours"]);
  expect(deletedIn(cluster)).not.toContain("Namespace challenge-ghost");
  expect(deletedIn(cluster)).toContain("Namespace challenge-a");
});

test("one refused deletion holds up nobody else, and is told", async () => {
  const cluster = place();
  const { client } = cluster;
  const { actions, problems } = await sweep(cluster, {
    delete: (type, namespace, name, options) =>
      name === "a"
        ? Promise.reject(refusal(403, { reason: "Forbidden", message: "not yours" }))
        : client.delete(type, namespace, name, options),
  });
  expect(problems).toEqual(["not yours"]);
  const failed = {
    kind: "ChallengeInstance",
    name: "berg/a",
    did: "failed",
    why: `its time was up at ${at(10)}; not yours`,
  };
  expect(actions).toContainEqual(failed);
  expect(deletedIn(cluster)).toEqual(["ChallengeInstance b", "Namespace challenge-b", "Namespace challenge-ghost"]);
});

test("waits for what is ending no longer than a pod usually gets, and says what is left", async () => {
  const cluster = place();
  cluster.put(makeDeployment("web", { namespace: "challenge-a", labels: marksOf("a") }));
  // Held by somebody: it is asked to go again and again, and stays.
  const { client } = cluster;
  const { actions } = await sweep(cluster, {
    delete: (type, namespace, name, options) =>
      type.kind === "Deployment"
        ? Promise.reject(refusal(409, { reason: "Conflict" }))
        : client.delete(type, namespace, name, options),
  });
  expect(deletedIn(cluster)).not.toContain("Namespace challenge-a");
  const left = { kind: "Namespace", name: "challenge-a", did: "waits", why: "what runs in it was asked to stop" };
  expect(actions.at(-1)).toEqual(left);
  const waitedMs = cluster.now - parseTime(at(3600));
  expect([waitedMs >= 35_000, waitedMs < 60_000]).toEqual([true, true]);
});

test("a dry run tells the same, does nothing, and does not wait", async () => {
  const cluster = place();
  cluster.put(makeDeployment("web", { namespace: "challenge-a", labels: marksOf("a") }));
  const { actions } = await sweep(cluster, {}, { dryRun: true });
  expect(deletedIn(cluster)).toEqual([]);
  expect(actions.map(({ did, kind, name }) => `${did} ${kind} ${name}`).toSorted()).toEqual([
    "would delete ChallengeInstance berg/a",
    "would delete ChallengeInstance berg/b",
    "would delete Deployment challenge-a/web",
    "would delete Namespace challenge-a",
    "would delete Namespace challenge-b",
    "would delete Namespace challenge-ghost",
  ]);
});
