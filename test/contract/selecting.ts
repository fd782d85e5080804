/** The server's choice and apimachinery's are the same, for every selector and every object. */
import {
  isBadRequest,
  type KubeObject,
  parseFieldSelector,
  parseLabelSelector,
  type ResourceType,
} from "@berg/apimachinery";
import { type ListOptions, Pods, Secrets } from "@berg/kube";
import { ChallengeInstances } from "@berg/resources";
import { expect, test } from "vitest";
import { createPod, type Given, refusal } from "./given.ts";

const labelSets: Record<string, string>[] = [
  {},
  { app: "web" },
  { app: "web", tier: "front", shard: "3" },
  { app: "api", tier: "back", shard: "10" },
  { app: "", shard: "2" },
  { "berg.norelect.ch/owner": "ada", App: "web" },
  { app: "db", shard: "x1", in: "notin" },
  { tier: "Front", shard: "9223372036854775807", constructor: "c" },
];

const labelSelectors = [
  " ",
  "app",
  "!app",
  "app=web",
  "app==web",
  "app!=web",
  "app=",
  "app!=",
  "app=web,tier=front",
  "app=web,tier!=front",
  " app = web , tier ",
  "app in (web,api)",
  "app in (web)",
  "app notin (web,api)",
  "app in ()",
  "app in (,web)",
  "app notin ()",
  "app in(web),tier",
  "!app,shard",
  "shard>3",
  "shard<3",
  "shard > 2,shard < 9223372036854775807",
  "berg.norelect.ch/owner=ada",
  "berg.norelect.ch/owner",
  "App",
  "in=notin",
  "in in (notin)",
  "notin",
  "constructor",
  "app=web,app=api",
  "tier in (front,Front)",
  // Refused by both.
  ",",
  "app,",
  "=web",
  "app=web tier=front",
  "app in web",
  "app in (web",
  "app>x",
  "shard>-5",
  "app===web",
  "app=a b",
  "app=-web",
  "-app",
  "a/b/c",
  "/app",
  "Berg.ch/app",
  "!!app",
  "!app=web",
  "(app)",
  "app=web)",
  "app in (web,api",
  `app=${"x".repeat(64)}`,
  "shard>9223372036854775808",
];

const fieldSelectors: { type: ResourceType; selectors: string[] }[] = [
  {
    type: Pods,
    selectors: [
      "metadata.name=p-1",
      "metadata.name!=p-1",
      "metadata.name==p-1",
      "metadata.name=p-1,metadata.name=p-2",
      "metadata.name=",
      "metadata.name=a\\,b",
      "metadata.namespace!=none",
      "spec.nodeName=",
      "spec.nodeName=node-1",
      "spec.nodeName!=",
      "status.phase=Pending",
      "status.phase!=Running,spec.restartPolicy=Never",
      "spec.serviceAccountName=default",
      "spec.schedulerName=nobody",
      "status.podIP=",
    ],
  },
  { type: Secrets, selectors: ["type=Opaque", "type!=Opaque", "type=kubernetes.io/basic-auth"] },
  {
    type: ChallengeInstances,
    selectors: [
      "spec.challengeRef.name=web",
      "spec.challengeRef.name!=web",
      "status.phase=",
      "status.phase=Running",
      "spec.challengeRef.name=web,status.phase!=Running",
    ],
  },
];

const brokenFieldSelectors = ["metadata.name", "=p-1", "metadata.name=a=b", "metadata.name=a\\b", "metadata.name=a\\"];

export function selecting(given: Given): void {
  /** The names that the server selects, or that it refuses. */
  async function byServer(type: ResourceType, options: ListOptions): Promise<string[] | "refused"> {
    const { client, namespace } = given;
    const list = await client.list(type, { namespace, ...options }).catch((error) => {
      if (isBadRequest(error)) return undefined;
      throw error;
    });
    return list ? list.items.map(({ metadata }) => metadata.name).sort() : "refused";
  }

  function here(objects: KubeObject[], compile: () => (object: KubeObject) => boolean): string[] | "refused" {
    try {
      const selected = objects.filter(compile());
      return selected.map(({ metadata }) => metadata.name).sort();
    } catch {
      return "refused";
    }
  }

  test("by labels", async () => {
    const { client, namespace } = given;
    const objects = await Promise.all(
      labelSets.map((labels, index) => client.create(Secrets, { metadata: { namespace, name: `s-${index}`, labels } })),
    );
    for (const labelSelector of labelSelectors) {
      const want = here(objects, () => {
        const selector = parseLabelSelector(labelSelector);
        return (object) => selector.matches(object.metadata.labels);
      });
      expect.soft(await byServer(Secrets, { labelSelector }), labelSelector).toEqual(want);
    }
  });

  test("by fields", async () => {
    const { client, namespace } = given;
    await createPod(given, "p-1", {}, { restartPolicy: "Never" });
    await createPod(given, "p-2", {}, { nodeName: "node-1", schedulerName: "nobody" });
    await client.create(Secrets, { metadata: { namespace, name: "plain" } });
    const login = { type: "kubernetes.io/basic-auth", stringData: { username: "ada", password: "x" } };
    await client.create(Secrets, { metadata: { namespace, name: "login" }, ...login });
    for (const name of ["web", "pwn"]) {
      const spec = {
        challengeRef: { name },
        ownerId: "0191e7a4-5f0c-7b3e-9d2a-4c6f8e1b2a3d",
        renewals: 0,
        restarts: 0,
      };
      await client.create(ChallengeInstances, { metadata: { namespace, name }, spec });
    }
    const running = { type: "merge", body: { status: { phase: "Running" } } } as const;
    await client.patch(ChallengeInstances, namespace, "web", running, { subresource: "status" });

    for (const { type, selectors } of fieldSelectors) {
      const { items } = await client.list(type, { namespace });
      for (const fieldSelector of selectors) {
        const want = here(items, () => {
          const selector = parseFieldSelector(fieldSelector);
          return (object) => selector.matchesObject(object);
        });
        expect.soft(want, fieldSelector).not.toBe("refused");
        expect.soft(await byServer(type, { fieldSelector }), fieldSelector).toEqual(want);
      }
    }
    for (const fieldSelector of brokenFieldSelectors) {
      expect.soft(() => parseFieldSelector(fieldSelector), fieldSelector).toThrow();
      expect.soft(await byServer(Pods, { fieldSelector }), fieldSelector).toBe("refused");
    }
  });

  test("a field that the server does not know is refused, never ignored", async () => {
    const { client, namespace } = given;
    const error = await refusal(client.list(Secrets, { namespace, fieldSelector: "data.x=1" }));
    expect(isBadRequest(error)).toBe(true);
    expect(error.message).toContain("data.x");
  });
}
