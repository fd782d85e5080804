/** `berg listener` on a cluster, with a database that is not there when it starts. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatTime } from "@berg/apimachinery";
import { openDatabaseRecords } from "@berg/healing";
import { kubeconfigFor, Namespaces } from "@berg/kube";
import { startLocalControlPlane } from "@berg/local-control-plane";
import { ChallengeInstances } from "@berg/resources";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { Place } from "../../healing/src/janitor/testing/place.ts";

const main = join(import.meta.dirname, "main.ts");
const stack = new AsyncDisposableStack();
const patiently = { timeout: 30_000, interval: 100 };
let place: Place;
let directory: string;
let KUBECONFIG: string;

beforeAll(async () => {
  place = stack.use(
    await Place.on(async () => {
      const controlPlane = await startLocalControlPlane({ dataDir: ":memory:" });
      return { connection: controlPlane.apiServer.connection, stop: () => controlPlane.stop() };
    }),
  );
  directory = await mkdtemp(join(tmpdir(), "berg-listener-"));
  stack.defer(() => rm(directory, { recursive: true }));
  KUBECONFIG = join(directory, "kubeconfig");
  const { ca } = await place.connection.tls();
  const token = (await place.connection.authorization())?.replace("Bearer ", "") ?? "none";
  const { server } = place.connection;
  await writeFile(KUBECONFIG, kubeconfigFor({ name: "test", server, token, ...(ca !== undefined && { ca }) }));
}, 60_000);
afterAll(() => stack.disposeAsync());

test("works without its database as far as it can, and keeps records as soon as that is there", {
  timeout: 120_000,
}, async () => {
  const inTheWay = join(directory, "records");
  await writeFile(inTheWay, "");
  const DATABASE_URL = join(inTheWay, "records.db");
  const ports = { HEALTH_PORT: "0", METRICS_PORT: "0" };
  const env = { HOME: "/nowhere", KUBECONFIG, POD_NAMESPACE: "berg", ...ports, GHOST_GRACE: "0s", DATABASE_URL };
  const { instance, namespace } = await place.running(3_600_000);
  const at = formatTime(Date.now());
  const status = { status: { startedAt: at, readyAt: at, namespace } };
  const patch = { type: "merge", body: status } as const;
  await place.client.patch(ChallengeInstances, "berg", instance.metadata.name, patch, { subresource: "status" });
  const ghost = await place.namespaceFor(randomUUID());

  const child = spawn(process.execPath, [main, "listener"], { env });
  stack.defer(() => void child.kill("SIGKILL"));
  let said = "";
  child.stdout.on("data", (text) => (said += text));
  const ended = once(child, "close");
  await vi.waitFor(() => expect(said).toContain(`cannot open the database file ${DATABASE_URL}`), patiently);
  await expect.poll(() => place.exists(Namespaces, "", ghost), patiently).toBe(false);
  const port = /"healthPort":(\d+)/.exec(said)?.[1];
  const ask = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  expect(await ask("/healthz")).toBe("ok");
  expect(await ask("/readyz?verbose")).toContain("database: waiting for the database, see the log\n");

  await rm(inTheWay);
  await vi.waitFor(() => expect(said).toContain("the database of records is open"), { timeout: 60_000 });
  expect(await ask("/readyz?verbose")).toContain("database: open\n");
  await using records = await openDatabaseRecords({ database: DATABASE_URL });
  const kept = async () => (await records.get(instance.metadata.uid))?.status;
  await expect.poll(kept, patiently).toBe("RUNNING");
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
});

test("is stopped at once while it waits", { timeout: 60_000 }, async () => {
  const inTheWay = join(directory, "never");
  await writeFile(inTheWay, "");
  const ports = { HEALTH_PORT: "0", METRICS_PORT: "0" };
  const env = { HOME: "/nowhere", KUBECONFIG, POD_NAMESPACE: "berg", ...ports, DATABASE_URL: join(inTheWay, "a.db") };
  const child = spawn(process.execPath, [main, "listener"], { env });
  stack.defer(() => void child.kill("SIGKILL"));
  let said = "";
  child.stdout.on("data", (text) => (said += text));
  const ended = once(child, "close");
  await vi.waitFor(() => expect(said).toContain('"msg":"leading"'), patiently);
  await vi.waitFor(() => expect(said).toContain("waiting for the database"), patiently);
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  expect(said).not.toContain("cut off");
});
