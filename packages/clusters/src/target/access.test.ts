import type { Stored } from "@berg/apimachinery";
import { type Client, ConnectionError, Namespaces } from "@berg/kube";
import { FakeClock, refusal, settle } from "@berg/kube/testing";
import type { Cluster } from "@berg/resources";
import { describe, expect, test } from "vitest";
import type { Garden } from "../gardener/garden.ts";
import type { Shoot } from "../gardener/kinds.ts";
import { annotations } from "../vocabulary.ts";
import { Targets } from "./access.ts";
import { TargetUnavailable } from "./target.ts";
import { base64, canary, kubeconfigText, pairData } from "./testing/kubeconfigs.ts";

const never = new AbortController().signal;
const minute = 60_000;
const external = "https://target.example:6443";

/** A garden whose answers the test gives, and time that the test moves. */
class World {
  readonly clock = new FakeClock();
  readonly asked: unknown[] = [];
  /** Clients that write only while this process leads. */
  readonly guarded: Client[] = [];
  /** How many were under way at once, at most. */
  most = 0;
  #underWay = 0;
  answer: () => Promise<unknown> = async () => this.kubeconfig();
  known = true;
  /** Of a cluster that was brought along. */
  secret = { metadata: { uid: "secret", resourceVersion: "1" }, data: { config: base64(kubeconfigText()) } };

  readonly garden = {
    namespace: "garden-ctf",
    client: {
      createSubresource: async (...[, namespace, name, subresource, body]: unknown[]) => {
        this.asked.push({ namespace, name, subresource, body });
        this.most = Math.max(this.most, ++this.#underWay);
        try {
          return await this.answer();
        } finally {
          this.#underWay--;
        }
      },
    },
    shoots: Object.defineProperties(
      { get: (key: string) => shootOf(key) },
      {
        hasSynced: { get: () => this.known },
        failure: { get: () => new ConnectionError("away", { sent: false, cause: { code: "ECONNREFUSED" } }) },
      },
    ),
  } as unknown as Garden;

  readonly targets = new Targets({
    manager: {
      client: { get: async () => this.secret } as unknown as Client,
      otherServer: (client) => {
        this.guarded.push(client);
        return { client, informer: () => undefined as never };
      },
    },
    garden: this.garden,
    clock: this.clock,
    allowedCidrs: [],
  });

  kubeconfig({ text = kubeconfigText({ user: pairData }), validMs = 10 * minute } = {}) {
    const expirationTimestamp = new Date(this.clock.now() + validMs).toISOString();
    return { status: { kubeconfig: base64(text), expirationTimestamp } };
  }

  open(name = "a") {
    return this.targets.open(clusterOf(name), never);
  }

  async trouble(): Promise<TargetUnavailable> {
    const error = await this.open().catch((error) => error);
    expect(error).toBeInstanceOf(TargetUnavailable);
    expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toContain(canary);
    return error;
  }
}

function shootOf(key: string): Stored<Shoot> {
  const name = key.split("/")[1];
  const notes = { [annotations.clusterUid]: `cluster-${name}` };
  const advertisedAddresses = [{ name: "external", url: external }];
  const metadata = { uid: `shoot-${name}`, name, annotations: notes };
  return { metadata, spec: {}, status: { advertisedAddresses } } as never;
}

function clusterOf(name: string): Cluster {
  const shootRef = { name, uid: `shoot-${name}` };
  return { metadata: { name, uid: `cluster-${name}` }, spec: {}, status: { shootRef } } as never;
}

describe("a Shoot's administrator", () => {
  test("is asked for 600 s, and again after 8 minutes", async () => {
    const world = new World();
    const first = await world.open();
    expect(world.guarded).toEqual([first.client]);
    expect(world.asked).toEqual([
      {
        namespace: "garden-ctf",
        name: "a",
        subresource: "adminkubeconfig",
        body: {
          apiVersion: "authentication.gardener.cloud/v1alpha1",
          kind: "AdminKubeconfigRequest",
          spec: { expirationSeconds: 600 },
        },
      },
    ]);
    await world.clock.advance(8 * minute - 1);
    expect(await world.open()).toBe(first);
    await world.clock.advance(1);
    expect(await world.open()).not.toBe(first);
    expect(world.asked).toHaveLength(2);
    await world.targets[Symbol.asyncDispose]();
    expect(world.clock.timers).toBe(0);
  });

  test("is used for as long as Gardener says, less a minute, and once where it says nothing", async () => {
    const world = new World();
    world.answer = async () => world.kubeconfig({ validMs: 3 * minute });
    const first = await world.open();
    await world.clock.advance(2 * minute - 1000);
    expect(await world.open()).toBe(first);
    await world.clock.advance(2000);
    expect(await world.open()).not.toBe(first);
    world.answer = async () => ({ status: { kubeconfig: world.kubeconfig().status.kubeconfig } });
    const other = await world.open("b");
    await world.clock.advance(1);
    expect(await world.open("b")).not.toBe(other);
    await world.targets[Symbol.asyncDispose]();
  });

  test("of many is asked for by 5 at once", async () => {
    const world = new World();
    const gate = Promise.withResolvers<void>();
    world.answer = async () => {
      await gate.promise;
      return world.kubeconfig();
    };
    const all = Promise.all(Array.from({ length: 30 }, (_, n) => world.open(`s${n}`)));
    await settle();
    expect([world.asked.length, world.most]).toEqual([5, 5]);
    gate.resolve();
    expect(await all).toHaveLength(30);
    expect([world.asked.length, world.most]).toEqual([30, 5]);
    await world.targets[Symbol.asyncDispose]();
  });

  test.each([
    { what: "403", error: refusal(403, { message: "no" }), reason: "GardenerForbidden", again: true },
    { what: "422", error: refusal(422, { message: "no address" }), reason: "NotReady", again: true },
    { what: "500", error: refusal(500), reason: "GardenerFailing", again: true },
    { what: "429", error: refusal(429), reason: "GardenerBusy", again: true },
    { what: "404", error: refusal(404), reason: "GardenerNotFound", again: false },
    {
      what: "nothing",
      error: new ConnectionError("away", { sent: true, cause: undefined }),
      reason: "GardenerUnreachable",
      again: true,
    },
  ])("that Gardener answers with $what is told as $reason", async ({ error, reason, again }) => {
    const world = new World();
    world.answer = () => Promise.reject(error);
    expect(await world.trouble()).toMatchObject({ reason, again });
    world.answer = async () => world.kubeconfig();
    expect((await world.open()).server).toBe(external);
    await world.targets[Symbol.asyncDispose]();
  });

  test.each([
    ["is empty", {}],
    ["is no kubeconfig", { status: { kubeconfig: base64(canary) } }],
    ["is no base64", { status: { kubeconfig: canary } }],
    ["leads elsewhere", { status: { kubeconfig: base64(kubeconfigText({ server: "https://other.example" })) } }],
    ["runs a program", { status: { kubeconfig: base64(kubeconfigText({ user: { exec: { command: canary } } })) } }],
  ])("whose kubeconfig %s is none, and not a word of it is told", async (_, answer) => {
    const world = new World();
    world.answer = async () => answer;
    expect(await world.trouble()).toMatchObject({ reason: "AdminKubeconfigInvalid", again: true });
  });

  test("is not asked for where the Shoot was made for another Cluster, whatever the status says", async () => {
    const world = new World();
    const mallory = { ...clusterOf("a"), metadata: { name: "mallory", uid: "cluster-mallory" } };
    const opening = world.targets.open(mallory as never, never);
    await expect(opening).rejects.toMatchObject({ name: "TargetUnavailable", reason: "ShootNotOurs", again: false });
    expect(world.asked).toEqual([]);
  });

  test("is not asked for while the garden is away: the condition says so", async () => {
    const world = new World();
    world.known = false;
    const { reason, message } = await world.trouble();
    expect(reason).toBe("GardenerUnreachable");
    expect(message).toContain("Gardener cannot be reached (ECONNREFUSED)");
    expect(world.asked).toEqual([]);
  });
});

test("the way into a cluster that was brought along is closed when its Secret does not lead there any more", async () => {
  const world = new World();
  const spec = { byoc: { kubeconfigSecretRef: { name: "theirs", key: "config" } } };
  const cluster = { metadata: { name: "b", uid: "cluster-b" }, spec } as unknown as Cluster;
  const { client, done } = await world.targets.open(cluster, never);
  done?.();
  world.secret = { ...world.secret, data: { config: base64("rubbish") } };
  await expect(world.targets.open(cluster, never)).rejects.toMatchObject({ reason: "KubeconfigInvalid" });
  await expect(client.list(Namespaces)).rejects.toThrow("the client is closed");
  await world.targets[Symbol.asyncDispose]();
});
