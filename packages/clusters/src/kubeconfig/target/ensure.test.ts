import type { ToCreate } from "@berg/apimachinery";
import { type Client, createClient, NotOurs, type Pod, Pods, ResourceQuotas, unlimited } from "@berg/kube";
import { type LocalControlPlane, startLocalControlPlane } from "@berg/local-control-plane";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { FaultProxy } from "../../../../../test/faults/proxy.ts";
import { accessNamespace, labels } from "../../vocabulary.ts";
import { ensureAccessNamespace } from "./ensure.ts";
import { noPods } from "./objects.ts";

const { signal } = new AbortController();
const { name } = noPods.metadata;

describe("the namespace of service accounts", () => {
  let target: LocalControlPlane;
  let proxy: FaultProxy;
  let client: Client;

  beforeAll(async () => {
    target = await startLocalControlPlane({ dataDir: ":memory:", scheduler: false });
    proxy = await FaultProxy.start(target.apiServer.connection);
    client = createClient({ connection: proxy.connection, rate: unlimited });
  });
  beforeEach(() => ensureAccessNamespace(client, signal));
  afterAll(async () => {
    await client?.close();
    await proxy?.stop();
    await target?.stop();
  });

  const quota = () => client.get(ResourceQuotas, accessNamespace, name);
  const mark = (body: object) => client.patch(ResourceQuotas, accessNamespace, name, { type: "merge", body });

  test("lets no pod in, which could be any of them", async () => {
    const spec = { containers: [{ name: "thief", image: "thief" }] };
    const pod = { metadata: { namespace: accessNamespace, name: "thief" }, spec } as ToCreate<Pod>;
    const attempt = () => client.create(Pods, pod).then(() => "let in", String);
    // Before there is an account of the name default, it is refused for that.
    await expect.poll(attempt).toContain(`exceeded quota: ${name}`);
  });

  test("is not written again once it is as it should be", async () => {
    const writes = () => proxy.requests.filter(({ method }) => method !== "GET").length;
    const before = writes();
    await ensureAccessNamespace(client, signal);
    expect(writes()).toBe(before);
  });

  test("has its quota put back, loosened or taken away", async () => {
    await mark({ spec: { hard: { pods: "5" } } });
    await ensureAccessNamespace(client, signal);
    expect((await quota()).spec).toEqual(noPods.spec);
    await client.delete(ResourceQuotas, accessNamespace, name);
    await Promise.all([ensureAccessNamespace(client, signal), ensureAccessNamespace(client, signal)]);
    expect((await quota()).spec).toEqual(noPods.spec);
  });

  test("keeps a quota that is somebody else's, and says so", async () => {
    await mark({ metadata: { labels: { [labels.managedBy]: "somebody" } }, spec: { hard: { pods: "5" } } });
    await expect(ensureAccessNamespace(client, signal)).rejects.toThrow(NotOurs);
    expect((await quota()).spec).toEqual({ hard: { pods: "5" } });
    await client.delete(ResourceQuotas, accessNamespace, name);
  });
});
