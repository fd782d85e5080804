/** Each check on ours, on a real API server without its controller-manager, and on Kubernetes' own: they are to agree. */
import { type Client, type Manager, Pods, Services, systemClock } from "@berg/kube";
import { missingControlPlane, startControlPlane } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { startWorld, type World } from "../testing/workload-world.ts";
import { type EndpointSlice, EndpointSlices } from "./endpoint-slice.ts";
import { addEndpointSliceController } from "./endpoint-slices.ts";

const labels = { app: "web" };

describe.skipIf(await missingControlPlane()).each(["ours", "real"] as const)("endpoint slices, %s", (kind) => {
  let world: World;
  let client: Client;
  let namespace: string;

  beforeAll(async () => {
    const plane = await startControlPlane({ controllerManager: kind === "real", scheduler: false });
    const add = (manager: Manager) => addEndpointSliceController(manager, { clock: systemClock });
    world = await startWorld(plane, kind === "ours" ? add : undefined);
    client = world.client;
  });
  afterAll(async () => world?.[Symbol.asyncDispose]());

  const makeService = (spec: object, name = "web") =>
    client.create(Services, {
      metadata: { namespace, name, labels: { team: "red" } },
      spec: { selector: labels, ...spec },
    });
  const makePod = (name: string, port = 80, spec: object = {}, behaviour = "ready") =>
    client.create(Pods, {
      metadata: { namespace, name, labels, annotations: { "simulator.berg.norelect.ch/behaviour": behaviour } },
      spec: {
        terminationGracePeriodSeconds: 3,
        containers: [{ name: "main", image: "web:1", ports: [{ name: "http", containerPort: port }] }],
        ...spec,
      },
    });
  const slicesNow = async () => (await client.list(EndpointSlices, { namespace })).items;
  const until = (what: string, test: (slices: EndpointSlice[]) => boolean) =>
    eventually(what, async () => {
      const slices = await slicesNow();
      return test(slices) && slices;
    });
  const ready = (slices: EndpointSlice[]) =>
    slices
      .flatMap(({ endpoints }) => endpoints ?? [])
      .filter(({ conditions }) => conditions.ready)
      .map(({ targetRef }) => targetRef.name)
      .sort();

  test("a Service without pods has an empty slice", async () => {
    namespace = await world.newNamespace();
    const { metadata } = await makeService({ ports: [{ port: 80 }] });
    const [slice] = await until("there is one", (slices) => slices.length === 1);
    expect(slice).toMatchObject({ addressType: "IPv4", endpoints: null, ports: null });
    expect(slice?.metadata.name).toMatch(/^web-[a-z0-9]{5}$/);
    expect(slice?.metadata.labels).toEqual({
      team: "red",
      "kubernetes.io/service-name": "web",
      "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
    });
    const owner = { apiVersion: "v1", kind: "Service", name: "web", uid: metadata.uid };
    expect(slice?.metadata.ownerReferences).toEqual([{ ...owner, controller: true, blockOwnerDeletion: true }]);
  });

  test("names the pods, their addresses and ports, and how they are", async () => {
    namespace = await world.newNamespace();
    await makeService({
      ports: [
        { name: "web", port: 8080, targetPort: "http", appProtocol: "http" },
        { name: "dns", port: 53, protocol: "UDP" },
        { name: "other", port: 1, targetPort: "missing" },
      ],
    });
    const one = await makePod("one");
    await makePod("two", 80, {}, "never-ready");
    await makePod("three", 81);
    const slices = await until(
      "all are there",
      (slices) =>
        ready(slices).join() === "one,three" && slices.flatMap(({ endpoints }) => endpoints ?? []).length === 3,
    );
    const dns = { name: "dns", protocol: "UDP", port: 53 };
    const web = { name: "web", protocol: "TCP", appProtocol: "http" };
    expect(slices).toHaveLength(2);
    const of = (port: number) => slices.find(({ ports }) => ports?.some((one) => one.port === port));
    // Kubernetes orders them by a hash.
    const portsOf = (port: number) => of(port)?.ports?.toSorted((a, b) => a.name.localeCompare(b.name));
    expect(portsOf(80)).toEqual([dns, { ...web, port: 80 }]);
    expect(portsOf(81)).toEqual([dns, { ...web, port: 81 }]);
    const { status } = await client.get(Pods, namespace, "one");
    expect(of(80)?.endpoints?.find(({ targetRef }) => targetRef.name === "one")).toEqual({
      addresses: [status?.podIP],
      conditions: { ready: true, serving: true, terminating: false },
      nodeName: "simulated-1",
      targetRef: { kind: "Pod", namespace, name: "one", uid: one.metadata.uid },
    });
    expect(of(80)?.endpoints?.find(({ targetRef }) => targetRef.name === "two")?.conditions).toEqual({
      ready: false,
      serving: false,
      terminating: false,
    });

    await client.delete(Pods, namespace, "three");
    await client.delete(Pods, namespace, "two");
    const left = await until(
      "they are gone",
      (slices) => slices.flatMap(({ endpoints }) => endpoints ?? []).length === 1 && slices.length === 1,
    );
    expect(left[0]?.ports?.some(({ port }) => port === 80)).toBe(true);
  });

  test("headless: with hostnames, and not ready ones where asked for", async () => {
    namespace = await world.newNamespace();
    await makeService({ clusterIP: "None", publishNotReadyAddresses: true });
    await makePod("one", 80, { hostname: "first", subdomain: "web" }, "never-ready");
    const [slice] = await until("it is there", (slices) => ready(slices).length === 1);
    expect(slice?.ports).toBeNull();
    expect(slice?.metadata.labels?.["service.kubernetes.io/headless"]).toBe("");
    expect(slice?.endpoints?.[0]).toMatchObject({
      hostname: "first",
      conditions: { ready: true, serving: false, terminating: false },
    });
  });

  test("follows the labels of pods and the selector of the Service", async () => {
    namespace = await world.newNamespace();
    await makeService({ ports: [{ port: 80 }] });
    await makePod("one");
    await until("it is there", (slices) => ready(slices).join() === "one");
    const relabel = (app: string) =>
      client.patch(Pods, namespace, "one", { type: "merge", body: { metadata: { labels: { app } } } });
    await relabel("other");
    await until("it is gone", (slices) => ready(slices).length === 0);
    const body = { spec: { selector: { app: "other" } } };
    await client.patch(Services, namespace, "web", { type: "merge", body });
    await until("it is back", (slices) => ready(slices).join() === "one");
  });
});
