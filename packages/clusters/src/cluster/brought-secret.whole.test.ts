/** A cluster that was brought along is the one that its Secret leads to now. */
import { type Client, type Connection, createClient, kubeconfigFor, Secrets, systemClock, unlimited } from "@berg/kube";
import { type LocalControlPlane, startLocalControlPlane } from "@berg/local-control-plane";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Targets } from "../target/access.ts";
import { type ClusterRoleBinding, ClusterRoleBindings } from "./administrators/plan.ts";
import { untilCondition, untilPhase } from "./testing/told.ts";
import { namespace, startWorld, type World } from "./testing/world.ts";

const undo = new AsyncDisposableStack();
let world: World;
let servers: Connection[];

beforeAll(async () => {
  servers = [(await start()).apiServer.connection, (await start()).apiServer.connection];
  world = undo.use(await startWorld());
  const { client } = world;
  const manager = { client, otherServer: (of: Client) => ({ client: of, informer: () => undefined as never }) };
  const allowedCidrs = ["127.0.0.0/8"];
  const targets = undo.use(new Targets({ manager, garden: undefined as never, clock: systemClock, allowedCidrs }));
  undo.use(
    await world.startOperator({
      targets: {
        open: (...asked) => targets.open(...asked),
        // The review in a whole check is more than the embedded server takes.
        check: async (...asked) => {
          const { client, server, certificateAuthority, done } = await targets.open(...asked);
          await client.raw("/version", { signal: asked[1] });
          done?.();
          return { server, certificateAuthority, version: "v1.36.0", expiresAt: undefined };
        },
        forget: (uid) => targets.forget(uid),
      },
    }),
  );
});
afterAll(() => undo.disposeAsync());

async function start(port = 0): Promise<LocalControlPlane> {
  return undo.use(await startLocalControlPlane({ dataDir: ":memory:", scheduler: false, port }));
}

async function dataOf(connection: Connection): Promise<Record<string, string>> {
  const { ca = "" } = await connection.tls();
  const token = (await connection.authorization())?.replace("Bearer ", "") ?? "";
  const text = kubeconfigFor({ name: "theirs", server: connection.server, ca: String(ca), token });
  return { kubeconfig: Buffer.from(text).toString("base64") };
}

async function administratorsAt(connection: Connection): Promise<string[]> {
  const client = createClient({ connection, rate: unlimited });
  const labelSelector = "operator.kyma-project.io/cluster-uid";
  const { items } = await client.list<ClusterRoleBinding>(ClusterRoleBindings, { labelSelector });
  await client.close();
  return items.flatMap(({ subjects = [] }) => subjects.map(({ name }) => name));
}

test("when the Secret comes, leads elsewhere, holds rubbish, goes: each time at once, with what it holds", async () => {
  const [one, other] = servers as [Connection, Connection];
  const byoc = { kubeconfigSecretRef: { name: "theirs", key: "kubeconfig" } };
  await world.create("theirs", { byoc, administrators: ["z@example.com"] });
  await untilCondition(world, "theirs", "Reachable", "False/KubeconfigSecretMissing");
  const leadsTo = async () => (await world.get("theirs"))?.status?.apiServerURL;

  const metadata = { name: "theirs", namespace };
  await world.client.create(Secrets, { metadata, data: await dataOf(one) });
  await untilPhase(world, "theirs", "Ready");
  await expect.poll(() => administratorsAt(one)).toEqual(["z@example.com"]);
  expect(await leadsTo()).toBe(one.server);

  const put = (data: Record<string, string>) =>
    world.client.patch(Secrets, namespace, "theirs", { type: "merge", body: { data } });
  await put(await dataOf(other));
  await expect.poll(leadsTo).toBe(other.server);
  await expect.poll(() => administratorsAt(other)).toEqual(["z@example.com"]);
  await expect.poll(() => world.eventsOf("theirs")).toContain("OrphanedAccessObjects");

  await put({ kubeconfig: Buffer.from("rubbish").toString("base64") });
  await untilCondition(world, "theirs", "Reachable", "False/KubeconfigInvalid");
  await put(await dataOf(one));
  await untilCondition(world, "theirs", "Reachable", "True/Reachable");
  await world.client.delete(Secrets, namespace, "theirs");
  await untilCondition(world, "theirs", "Reachable", "False/KubeconfigSecretMissing");
});

test("one that was built anew at the same address gets its administrators, too", async () => {
  const first = await start();
  const { server } = first.apiServer.connection;
  const metadata = { name: "rebuilt", namespace };
  await world.client.create(Secrets, { metadata, data: await dataOf(first.apiServer.connection) });
  const byoc = { kubeconfigSecretRef: { name: "rebuilt", key: "kubeconfig" } };
  await world.create("rebuilt", { byoc, administrators: ["z@example.com"] });
  await untilCondition(world, "rebuilt", "AdministratorsConfigured", "True/Configured");
  const before = (await world.get("rebuilt"))?.status;

  await first.stop();
  const { connection } = (await start(Number(new URL(server).port))).apiServer;
  expect(await administratorsAt(connection)).toEqual([]);
  const body = { data: await dataOf(connection) };
  await world.client.patch(Secrets, namespace, "rebuilt", { type: "merge", body });
  await expect.poll(() => administratorsAt(connection)).toEqual(["z@example.com"]);
  const after = (await world.get("rebuilt"))?.status;
  expect(after?.apiServerURL).toBe(before?.apiServerURL);
  expect(after?.certificateAuthorityHash).not.toBe(before?.certificateAuthorityHash);
});
