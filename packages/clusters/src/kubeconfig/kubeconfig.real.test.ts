/** What is promised to those who hold kubeconfigs, and to those who take them back: on real API servers. */
import { setTimeout as delay } from "node:timers/promises";
import { defineResource, type KubeObject } from "@berg/apimachinery";
import { type Client, ConfigMaps, Deployments, Namespaces, Pods, Secrets } from "@berg/kube";
import { Clusters, KubeconfigRequests } from "@berg/resources";
import { missingControlPlane } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../../../../test/runtime/eventually.ts";
import { annotations } from "../vocabulary.ts";
import type { Request } from "./names.ts";
import { JumpClock } from "./testing/jump-clock.ts";
import { clientOf, type Place, podReader, type RunningOperator } from "./testing/place.ts";
import { type RealPlace, realPlace } from "./testing/real.ts";
import { heldFor, refusedInTime, tried } from "./testing/tried.ts";

interface AccessReview extends KubeObject {
  spec: { resourceAttributes: Record<string, string> };
  status?: { allowed: boolean };
}

const SelfSubjectAccessReviews = defineResource<AccessReview>({
  group: "authorization.k8s.io",
  version: "v1",
  resource: "selfsubjectaccessreviews",
  kind: "SelfSubjectAccessReview",
  namespaced: false,
});

async function may(client: Client, verb: string, resource: string, namespace: string, group = ""): Promise<boolean> {
  const [name = "", subresource = ""] = resource.split("/");
  const resourceAttributes = { verb, group, resource: name, subresource, namespace };
  const review = { metadata: { name: "" }, spec: { resourceAttributes } };
  return (await client.create(SelfSubjectAccessReviews, review)).status?.allowed ?? false;
}

describe.skipIf(await missingControlPlane())("kubeconfigs of real clusters", () => {
  let parts: RealPlace;
  let place: Place;
  let operator: RunningOperator;
  const clock = new JumpClock();

  beforeAll(async () => {
    parts = await realPlace();
    place = parts.place;
    await place.cluster("one");
    await place.cluster("two");
    await place.namespace("web");
    operator = await place.start({ clock });
  });
  afterAll(async () => {
    await operator?.stop();
    await parts?.[Symbol.asyncDispose]();
  });

  async function until(name: string, what: string, holds: (request: Request) => unknown): Promise<Request> {
    let now: Request | undefined;
    const look = async () => {
      now = await place.get(name);
      return now && holds(now);
    };
    await eventually(`${name} is ${what}`, look, 60_000);
    return now as unknown as Request;
  }
  const untilEpoch = (name: string, epoch: number) =>
    until(name, `epoch ${epoch}`, (now) => now.status?.epoch === epoch);
  const condition = ({ status }: Request, type: string) => {
    const found = status?.conditions?.find((each) => each.type === type);
    return found && `${found.status} ${found.reason}`;
  };

  test("can do exactly what was asked for", async () => {
    await place.request("matrix", {
      clusterRole: {
        rules: [
          { apiGroups: ["apps/v1"], resources: ["Deployment"], verbs: ["get", "List"] },
          { apiGroups: [""], resources: ["pods/log"], verbs: ["get"] },
        ],
      },
      role: { namespace: "web", rules: [{ apiGroups: ["*"], resources: ["Secret"], verbs: ["create", "get"] }] },
    });
    await untilEpoch("matrix", 1);
    const client = await clientOf(await place.published("matrix"));
    const asked: Promise<string>[] = [];
    const groups: Record<string, string> = {
      deployments: "apps",
      "deployments/scale": "apps",
      roles: "rbac.authorization.k8s.io",
    };
    for (const resource of [
      "deployments",
      "deployments/scale",
      "pods",
      "pods/log",
      "secrets",
      "configmaps",
      "roles",
      "serviceaccounts/token",
    ]) {
      for (const verb of ["get", "list", "watch", "create", "update", "delete", "escalate", "impersonate"]) {
        for (const namespace of ["web", "default", "kyma-kubeconfig-access"]) {
          const answer = may(client, verb, resource, namespace, groups[resource]);
          asked.push(answer.then((is) => (is ? `${verb} ${resource} in ${namespace}` : "")));
        }
      }
    }
    const everywhere = (what: string) =>
      ["web", "default", "kyma-kubeconfig-access"].map((each) => `${what} in ${each}`);
    expect((await Promise.all(asked)).filter(Boolean).sort()).toEqual(
      [
        ...everywhere("get deployments"),
        ...everywhere("list deployments"),
        ...everywhere("get pods/log"),
        "create secrets in web",
        "get secrets in web",
      ].sort(),
    );
    const outcome = (asking: Promise<unknown>) =>
      asking.then(
        () => 200,
        (error) => error.code,
      );
    await client.create(Secrets, { metadata: { name: "mine", namespace: "web" } });
    expect(
      await Promise.all([
        outcome(client.list(Deployments)),
        outcome(client.get(Secrets, "web", "mine")),
        outcome(client.get(Secrets, "default", "mine")),
        outcome(client.list(Secrets, { namespace: "web" })),
        outcome(client.list(Pods)),
        outcome(client.list(ConfigMaps, { namespace: "web" })),
        outcome(client.create(Namespaces, { metadata: { name: "more" } })),
      ]),
    ).toEqual([200, 200, 403, 403, 403, 403, 403]);
    await client.close();
  });

  test("whoever uses it all the time notices no rotation; those that are rotated out are refused", {
    timeout: 240_000,
  }, async () => {
    await place.request("busy", { expiration: 600 });
    await untilEpoch("busy", 1);
    const user = startUser(place, "busy");
    // To four fifths of its life. The second is 181 s old when the first is rid of: a longer jump would end its life.
    for (const [epoch, untilDueMs] of [
      [2, 481_000],
      [3, 301_000],
    ] as const) {
      const former = await place.published("busy");
      clock.jump(untilDueMs);
      await untilEpoch("busy", epoch);
      expect(await tried(former)).toBe("works");
      await user.served(20);
      clock.jump(181_000);
      await until("busy", "rid of the one before", ({ status }) => !status?.retiring);
      await refusedInTime(former, `kubeconfig ${epoch - 1}`);
    }
    const former = await place.published("busy");
    await place.annotate("busy", "rotate", "true");
    await until("busy", "rotating", ({ status }) => status?.epoch === 4);
    await user.served(20);
    const asked = operator.targetProxy.requests.length;
    clock.jump(30_000);
    await until("busy", "rotated", ({ status }) => status?.phase === "Issued");
    // Its answer tells that the anchor was there, and so that this is the cluster where it was made.
    expect(operator.targetProxy.requests.slice(asked).map(({ verb }) => verb)).toEqual(["deletecollection"]);
    await refusedInTime(former, "kubeconfig 3");
    await user.served(20);
    expect(await user.stop()).toEqual([]);
  });

  test("revoked: refused within 10 s of the word, on both targets, and others go on", {
    timeout: 120_000,
  }, async () => {
    const names = ["first", "second", "third"];
    for (const name of names) await place.request(name, { cluster: name === "first" ? "one" : "two" });
    for (const name of names) await untilEpoch(name, 1);
    const texts = await Promise.all(names.map((name) => place.published(name)));
    expect(await Promise.all(texts.map(tried))).toEqual(["works", "works", "works"]);
    await place.annotate("first", "revoke", "true");
    await until("first", "revoked", ({ status }) => status?.phase === "Revoked");
    await refusedInTime(texts[0] ?? "", "the first");
    expect(await tried(texts[1] ?? "")).toBe("works");
    const body = { metadata: { annotations: { [annotations.revokeAll]: "true" } } };
    await place.home.patch(Clusters, "default", "two", { type: "merge", body });
    for (const name of ["second", "third"]) await until(name, "revoked", ({ status }) => status?.phase === "Revoked");
    await Promise.all(texts.slice(1).map((text) => refusedInTime(text, "one of two")));
    await place.annotate("first", "revoke", null);
    await untilEpoch("first", 2);
    expect([await tried(texts[0] ?? ""), await tried(await place.published("first"))]).toEqual(["unknown", "works"]);
  });

  test("a target that is away while it is revoked: the copy goes at once, the access when it is back", {
    timeout: 180_000,
  }, async () => {
    const request = await place.request("away");
    await untilEpoch("away", 1);
    const text = await place.published("away");
    await parts.target.apiServer.kill();
    await place.annotate("away", "revoke", "true");
    const waiting = await until("away", "revoking", ({ status }) => status?.phase === "Revoking");
    expect(condition(waiting, "Revoked")).toBe("False TargetUnreachable");
    await expect(place.home.get(Secrets, "default", "away-kubeconfig")).rejects.toThrow("not found");
    await parts.target.apiServer.start();
    clock.jump(120_000);
    await until("away", "revoked", (now) => condition(now, "Revoked") === "True Revoked");
    await refusedInTime(text, "what was issued");
    expect(await heldFor(place.target, request)).toBe("");
  });

  test("deleted: nothing that carries its UID is left", async () => {
    const request = await place.request("short", { role: { namespace: "web", rules: [podReader] } });
    await untilEpoch("short", 1);
    await place.annotate("short", "rotate", "true");
    await untilEpoch("short", 2);
    expect(await heldFor(place.target, request)).toContain("anchors 2");
    await place.home.delete(KubeconfigRequests, "default", "short");
    await eventually("it is gone", async () => !(await place.get("short")));
    expect(await heldFor(place.target, request)).toBe("");
  });
});

/** Reads the kubeconfig again every half a second, as a good client does, and asks with it without a pause. */
function startUser(place: Place, name: string) {
  const stopping = new AbortController();
  const failures: string[] = [];
  let count = 0;
  let readings = 0;
  const run = async () => {
    while (!stopping.signal.aborted) {
      const client = await clientOf(await place.published(name));
      readings++;
      const readAt = performance.now();
      while (performance.now() - readAt < 500 && !stopping.signal.aborted) {
        await client.list(Pods, { namespace: "default" }).then(
          () => count++,
          (error) => failures.push(String(error)),
        );
        await delay(5);
      }
      await client.close();
    }
  };
  const running = run();
  return {
    /** Waits for so many more answers, and until it surely has what is published now: a jump of the clock leaves no time. */
    async served(more: number): Promise<void> {
      const goal = { count: count + more, readings: readings + 2 };
      const isServed = () => count >= goal.count && readings >= goal.readings;
      await eventually(`${more} more requests are answered`, () => isServed() || failures.length > 0);
    },
    async stop(): Promise<string[]> {
      stopping.abort();
      await running;
      return failures;
    },
  };
}
