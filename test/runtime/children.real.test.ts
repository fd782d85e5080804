/** What controllers do to their children, on a real API server: only it says what it refuses, and how. */
import { isConflict, isOtherUid, type KubeObject, type Stored } from "@berg/apimachinery";
import {
  addFinalizer,
  type Client,
  ConfigMaps,
  createClient,
  Deployments,
  deleteChild,
  ensureChild,
  isAsWanted,
  LimitRanges,
  Namespaces,
  NetworkPolicies,
  NotOurs,
  PodDisruptionBudgets,
  ResourceQuotas,
  removeFinalizer,
  Services,
  unlimited,
  type WantedChild,
} from "@berg/kube";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { missingControlPlane } from "../control-plane/binaries.ts";
import { type ControlPlane, startControlPlane } from "../control-plane/control-plane.ts";

let controlPlane: ControlPlane;
let client: Client;
let namespace: string;
let counter = 0;

beforeAll(async () => {
  controlPlane = await startControlPlane({ controllerManager: false, scheduler: false });
  client = createClient({ connection: controlPlane.connection, rate: unlimited });
});
afterAll(async () => {
  await client?.close();
  await controlPlane?.stop();
});
beforeEach(async () => {
  namespace = `test-${++counter}`;
  await client.create(Namespaces, { metadata: { name: namespace } });
});

const { signal } = new AbortController();
const labels = { "example.com/owner-uid": "o1" };
const isOurs = ({ metadata }: Stored<KubeObject>) => metadata.labels?.["example.com/owner-uid"] === "o1";
const card = (title: string) => ({
  type: ConfigMaps,
  manifest: { metadata: { namespace, name: "card", labels }, data: { title } },
});
function ensure<T extends KubeObject>(child: WantedChild<T>, found?: Stored<T>) {
  return ensureChild(client, child, { fieldManager: "children", isOurs, found, signal });
}
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable("it went well"),
    (error) => error,
  );

describe.skipIf(await missingControlPlane())("a child on a real API server", () => {
  test("is made once, however often it is asked for, and put back as wanted with others' fields left alone", async () => {
    const made = await ensure(card("Cookie Jar"));
    expect(await ensure(card("Cookie Jar"))).toEqual(made);
    const body = { data: { title: "Edited", more: "theirs" } };
    const edited = await client.patch(ConfigMaps, namespace, "card", { type: "merge", body });
    const restored = await ensure(card("Cookie Jar"), edited);
    expect([restored.data, restored.metadata.uid]).toEqual([
      { title: "Cookie Jar", more: "theirs" },
      made.metadata.uid,
    ]);
    // Nothing to change is no change: no watch is woken by it.
    expect((await ensure(card("Cookie Jar"), restored)).metadata.resourceVersion).toBe(
      restored.metadata.resourceVersion,
    );
  });

  test("of somebody else is left alone", async () => {
    const theirs = await client.create(ConfigMaps, {
      metadata: { namespace, name: "card" },
      data: { title: "Theirs" },
    });
    expect(await failureOf(ensure(card("Ours")))).toBeInstanceOf(NotOurs);
    expect(await client.get(ConfigMaps, namespace, "card")).toEqual(theirs);
  });

  test("that was made anew since it was seen is a conflict, and so is one that is gone", async () => {
    const seen = await ensure(card("Ours"));
    await client.delete(ConfigMaps, namespace, "card");
    expect(isConflict(await failureOf(ensure(card("Ours again"), seen)))).toBe(true);
    const theirs = await client.create(ConfigMaps, { metadata: { namespace, name: "card" } });
    expect(isOtherUid(await failureOf(ensure(card("Ours again"), seen)))).toBe(true);
    expect(await client.get(ConfigMaps, namespace, "card")).toEqual(theirs);
  });

  test("is deleted in the life that is meant, and in no other", async () => {
    const seen = await ensure(card("Ours"));
    await deleteChild(client, ConfigMaps, seen, { signal });
    await deleteChild(client, ConfigMaps, seen, { signal });
    const next = await ensure(card("Next"));
    await deleteChild(client, ConfigMaps, seen, { signal });
    expect(await client.get(ConfigMaps, namespace, "card")).toEqual(next);
  });

  test("keeps others' finalizers, and refuses a change of its own by who saw it before they came", async () => {
    const seen = await ensure(card("Ours"));
    const held = await addFinalizer(client, ConfigMaps, seen, "example.com/ours", { signal });
    expect(held.metadata.finalizers).toEqual(["example.com/ours"]);
    const both = await addFinalizer(client, ConfigMaps, held, "example.com/theirs", { signal });
    const stale = await failureOf(removeFinalizer(client, ConfigMaps, held, "example.com/ours", { signal }));
    expect(isConflict(stale)).toBe(true);
    const twice = await failureOf(addFinalizer(client, ConfigMaps, seen, "example.com/ours", { signal }));
    expect(isConflict(twice)).toBe(true);
    const left = await removeFinalizer(client, ConfigMaps, both, "example.com/ours", { signal });
    expect(left?.metadata.finalizers).toEqual(["example.com/theirs"]);
  });

  test("goes with its last finalizer, and then there is none to remove", async () => {
    const held = await addFinalizer(client, ConfigMaps, await ensure(card("Ours")), "example.com/ours", { signal });
    await deleteChild(client, ConfigMaps, held, { signal });
    const going = await client.get(ConfigMaps, namespace, "card");
    await removeFinalizer(client, ConfigMaps, going, "example.com/ours", { signal });
    await expect(client.get(ConfigMaps, namespace, "card")).rejects.toThrow("not found");
    expect(await removeFinalizer(client, ConfigMaps, going, "example.com/ours", { signal })).toBeUndefined();
  });

  test("of each kind is as wanted when the server has filled in all that it fills in", async () => {
    const metadata = { namespace, name: "web", labels };
    const selector = { matchLabels: { app: "web" } };
    const container = {
      name: "web",
      image: "web",
      env: [{ name: "A", value: "1" }],
      ports: [
        { containerPort: 53, protocol: "TCP" as const },
        { containerPort: 53, protocol: "UDP" as const },
      ],
      resources: { limits: { cpu: "500m" } },
      volumeMounts: [{ name: "tmp", mountPath: "/tmp" }],
    };
    const template = {
      metadata: { labels: { app: "web" } },
      spec: { containers: [container], volumes: [{ name: "tmp", emptyDir: {} }] },
    };
    const ports = [
      { name: "dns", port: 53, protocol: "TCP" as const, targetPort: 53 },
      { name: "dns-udp", port: 53, protocol: "UDP" as const, targetPort: 53 },
    ];
    const ingress = [{ from: [{ podSelector: {} }], ports: [{ protocol: "TCP" as const, port: 53 }] }];
    const children: WantedChild<KubeObject>[] = [
      {
        type: Deployments,
        manifest: { metadata, spec: { selector, template } } as WantedChild<KubeObject>["manifest"],
      },
      { type: Services, manifest: { metadata, spec: { type: "NodePort", selector: { app: "web" }, ports } } as never },
      { type: PodDisruptionBudgets, manifest: { metadata, spec: { minAvailable: 1, selector } } as never },
      {
        type: NetworkPolicies,
        manifest: { metadata, spec: { podSelector: {}, policyTypes: ["Ingress"], ingress } } as never,
      },
      { type: ResourceQuotas, manifest: { metadata, spec: { hard: { pods: "10" } } } as never },
      {
        type: LimitRanges,
        manifest: { metadata, spec: { limits: [{ type: "Container", default: { memory: "1Gi" } }] } } as never,
      },
    ];
    for (const child of children) {
      const made = await ensure(child);
      expect(isAsWanted(child.manifest, made), `${child.type.kind} made`).toBe(true);
      const applied = await ensure(child, made);
      expect(isAsWanted(child.manifest, applied), `${child.type.kind} applied`).toBe(true);
    }
  });
});
