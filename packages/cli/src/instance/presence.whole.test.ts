/** A server that goes away, or stays and says nothing: nobody waits for ever. */
import { mkdtemp, writeFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient, kubeconfigFor, loadConnection, Namespaces, systemClock } from "@berg/kube";
import { type LocalControlPlane, startLocalControlPlane } from "@berg/local-control-plane";
import { ChallengeInstances, Challenges, customResourceDefinitions } from "@berg/resources";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CustomResourceDefinitions, untilServed } from "../../../../test/scenarios/crds.ts";
import { Presence } from "./presence.ts";
import { CommandLine } from "./testing/command-line.ts";

/** Ten times as fast. A server that is there must answer in half a second. */
const clock = { ...systemClock, setTimer: (ms: number, fire: () => void) => systemClock.setTimer(ms / 10, fire) };
const within = { timeout: 30_000 };

describe("a server that says nothing", { timeout: 60_000 }, () => {
  test("is given up, and named", async () => {
    const sockets: Socket[] = [];
    const server = createServer((socket) => void sockets.push(socket.on("error", () => {}))).listen(0, "127.0.0.1");
    await using berg = new CommandLine(await mkdtemp(join(tmpdir(), "berg-silent-")));
    await vi.waitFor(() => expect(server.listening).toBe(true));
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    await writeFile(berg.kubeconfig, kubeconfigFor({ name: "x", server: url, token: "t" }));
    for (const command of [berg.list({}, { clock }), berg.stop(["ada"], {}, { clock })]) {
      const { code, stderr } = await command;
      expect(stderr).toContain(
        `cannot reach the cluster of KUBECONFIG=${berg.kubeconfig}: ${url} has not answered for 30 s. If berg up`,
      );
      expect(code).toBe(1);
    }
    for (const socket of sockets) socket.destroy();
    server.close();
  });
});

test("a server that answers now and then, if only with a refusal, is there", { timeout: 60_000 }, async () => {
  let asked = 0;
  const server = createHttpServer((_, response) => {
    if (++asked % 5 === 0) response.writeHead(403).end();
  }).listen(0, "127.0.0.1");
  await vi.waitFor(() => expect(server.listening).toBe(true));
  await using berg = new CommandLine(await mkdtemp(join(tmpdir(), "berg-seldom-")));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await writeFile(berg.kubeconfig, kubeconfigFor({ name: "x", server: url, token: "t" }));
  const faster = { ...systemClock, setTimer: (ms: number, fire: () => void) => systemClock.setTimer(ms / 50, fire) };
  await using presence = new Presence(await loadConnection({ kubeconfig: berg.kubeconfig, clock: faster }), faster);
  await vi.waitFor(() => expect(asked).toBeGreaterThan(20), within);
  expect(presence.lost.aborted).toBe(false);
  server.closeAllConnections();
  server.close();
  await vi.waitFor(() => expect(presence.lost.aborted).toBe(true), within);
});

describe("a server that goes while a command waits", { timeout: 60_000 }, () => {
  let controlPlane: LocalControlPlane;
  let berg: CommandLine;
  beforeEach(async () => {
    controlPlane = await startLocalControlPlane({ dataDir: ":memory:" });
    const { connection } = controlPlane.apiServer;
    berg = await CommandLine.for(connection);
    const client = createClient({ connection });
    for (const definition of customResourceDefinitions()) {
      await client.create(CustomResourceDefinitions, definition);
      await untilServed(client, definition);
    }
    await client.create(Namespaces, { metadata: { name: "berg" } });
    const spec = { containers: [{ hostname: "web", image: "web:1", dynamicFlag: { env: { name: "FLAG" } } }] };
    await client.create(Challenges, { metadata: { namespace: "berg", name: "web" }, spec: spec as never });
    const held = { namespace: "berg", name: "held", finalizers: ["test.example.com/hold"] };
    const ownerId = "0b6d0a5e-7a1f-4a3e-9b0e-3f6f1f7d2c11";
    await client.create(ChallengeInstances, {
      metadata: held,
      spec: { ownerId, challengeRef: { name: "web" }, renewals: 0, restarts: 0 },
    });
    await client.close();
  });
  afterEach(async () => {
    await controlPlane.stop();
    await berg[Symbol.asyncDispose]();
  });

  test("ends the wait with code 1, says how to go on, and the flag that was made is not lost", async () => {
    const starting = berg.start("web", { json: true }, { clock });
    const stopping = berg.stop(["held"], {}, { clock });
    const watching = berg.list({ watch: true }, { clock });
    await vi.waitFor(() => expect(starting.stderr).toContain("Asked for."), within);
    await vi.waitFor(() => expect(stopping.stderr).toContain("Its end was asked for."), within);
    await vi.waitFor(() => expect(watching.stdout).toContain("held"), within);
    await controlPlane.stop();
    const gone = `${controlPlane.apiServer.url} has not answered for 30 s`;
    const [started, stopped, watched] = [await starting, await stopping, await watching];
    for (const { code, stderr } of [started, stopped, watched]) {
      expect(stderr).toContain(gone);
      expect(code).toBe(1);
    }
    expect(started.stderr).toContain("The instance goes on without us. To end it: berg instance stop web-");
    expect(JSON.parse(started.stdout)).toMatchObject({ flag: expect.stringMatching(/^flag\{/), phase: "Pending" });
    expect(stopped.stderr).toContain("The end was asked for, and goes on without us.");
  });

  test("--wait-timeout ends the wait; as long as that, a server that is there is waited for", async () => {
    const { code, stderr } = await berg.stop(["held"], { waitTimeout: "10s" }, { clock });
    expect(code).toBe(1);
    expect(stderr).toContain("error: held: waited for 10 s, and no longer. Its end was asked for.\n");
    const starting = await berg.start("web", { waitTimeout: "5s" }, { clock });
    expect(starting.stderr).toMatch(/error: web-\w+: waited for 5 s, and no longer. Asked for.\n$/);
    expect((await berg.start("web", { waitTimeout: "soon" })).code).toBe(2);
    // Longer than it takes to find out that nobody is there.
    const stopping = berg.stop(["held"], { waitTimeout: "50s" }, { clock });
    expect((await stopping).stderr).toContain("waited for 50 s, and no longer");
  });
});
