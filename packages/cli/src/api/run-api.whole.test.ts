/** `berg api` in a process of its own, on the embedded control plane. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient, kubeconfigFor, Leases, Namespaces, unlimited } from "@berg/kube";
import { startLocalControlPlane } from "@berg/local-control-plane";
import { ChallengeInstances, customResourceDefinitions, finalizers } from "@berg/resources";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { askRunningApi } from "../../../api/src/admin-socket/client.ts";
import { installKinds } from "../up/install-kinds.ts";

const main = join(import.meta.dirname, "../main.ts");
const world = new AsyncDisposableStack();
const { signal } = new AbortController();
const patiently = { timeout: 60_000, interval: 50 };
const publicUrl = "http://berg.example";
let directory: string;
let kubeconfig: string;
let client: Client;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "berg-api-"));
  world.defer(() => rm(directory, { recursive: true, force: true }));
  const controlPlane = await startLocalControlPlane({ dataDir: ":memory:" });
  world.defer(() => controlPlane.stop());
  const { connection } = controlPlane.apiServer;
  client = createClient({ connection, rate: unlimited });
  world.defer(() => client.close());
  await installKinds(client, customResourceDefinitions(), signal);
  await client.create(Namespaces, { metadata: { name: "berg" } });
  const { ca } = await connection.tls();
  const token = (await connection.authorization())?.replace("Bearer ", "") ?? "none";
  kubeconfig = await writeKubeconfig("kubeconfig", connection.server, token, ca);
  await mkdir(join(directory, "pages"));
  await writeFile(join(directory, "pages/index.html"), "<!doctype html>pages");
});
afterAll(() => world.disposeAsync());

async function writeKubeconfig(name: string, url: string, token: string, ca: unknown): Promise<string> {
  const file = join(directory, name);
  const options = { name: "test", server: url, token, ...(ca !== undefined && { ca }) } as never;
  await writeFile(file, kubeconfigFor(options));
  return file;
}

class Process {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown[]>;
  output = "";
  errors = "";

  constructor(args: string[], env: Record<string, string> = {}) {
    this.child = spawn(process.execPath, [main, "api", ...args], {
      env: {
        HOME: "/nowhere",
        PATH: process.env.PATH,
        ...ports,
        PUBLIC_URL: publicUrl,
        KUBECONFIG: kubeconfig,
        ...env,
      },
    });
    world.defer(() => void this.child.kill("SIGKILL"));
    this.child.stdout?.on("data", (text) => (this.output += text));
    this.child.stderr?.on("data", (text) => (this.errors += text));
    this.ended = once(this.child, "close");
  }

  async ports(): Promise<{ port: number; healthPort: number; metricsPort: number }> {
    return vi.waitFor(() => {
      const line = this.output.split("\n").find((one) => one.includes('"msg":"serving"'));
      if (line === undefined) throw new Error(`not serving: ${this.output}${this.errors}`);
      return JSON.parse(line);
    }, patiently);
  }
}

const ports = { API_HOST: "127.0.0.1", API_PORT: "0", HEALTH_PORT: "0", METRICS_PORT: "0" };
const withPages = () => ({ PAGES_DIR: join(directory, "pages") });

interface Answer {
  status: number;
  text: string;
  cookie: string;
}

function call(port: number, path: string, { method = "GET", body = "", cookie = "" } = {}): Promise<Answer> {
  const headers = {
    host: "berg.example",
    ...(cookie !== "" && { cookie }),
    ...(body !== "" && { origin: publicUrl, "content-type": "application/json" }),
  };
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port, path, method, headers }, async (response) => {
      let text = "";
      for await (const piece of response.setEncoding("utf8")) text += piece;
      const [set = ""] = response.headers["set-cookie"] ?? [];
      resolve({ status: response.statusCode ?? 0, text, cookie: set.split(";")[0] ?? "" });
    })
      .on("error", reject)
      .end(body);
  });
}

const get = (port: number, path: string, cookie = "") => call(port, path, { cookie });

/** As `berg admin link` does: over the socket in the data directory. */
async function signInAsAdmin(port: number, dataDir: string): Promise<string> {
  const command = { command: "link", name: "Admin", roles: ["admin"], kind: "one-time" } as const;
  const answer = await askRunningApi(join(dataDir, "api.sock"), command as never);
  const token = new URL(answer?.output ?? "").hash.slice(1);
  return (await call(port, "/api/sign-in", { method: "POST", body: JSON.stringify({ token }) })).cookie;
}

test("serves, leads, says how it is, and stops in order", async () => {
  const dataDir = join(directory, "data");
  const api = new Process(["--data-dir", dataDir], withPages());
  const { port, healthPort, metricsPort } = await api.ports();
  await vi.waitFor(async () => expect((await get(healthPort, "/readyz")).status).toBe(200), patiently);
  expect((await get(healthPort, "/readyz?verbose")).text).toMatch(/\+\]database ok\n\[\+\]kubernetes ok\n/);
  expect((await get(healthPort, "/healthz")).text).toBe("ok");
  expect((await get(port, "/challenges")).text).toBe("<!doctype html>pages");
  expect((await get(port, "/api/challenges")).status).toBeLessThan(500);
  await vi.waitFor(async () => {
    const { spec } = await client.get(Leases, "default", "berg-api");
    expect(spec?.holderIdentity).toEqual(expect.any(String));
  }, patiently);

  const socket = new WebSocket(`ws://127.0.0.1:${port}/api/events`);
  await once(socket, "open");
  const { text } = await get(metricsPort, "/metrics");
  expect(text).toContain('berg_api_requests_total{method="GET",route="/api/challenges",status=');
  expect(text).toContain("berg_api_sockets 1");
  expect(text).toContain("berg_api_database_up 1");
  expect(text).toContain("berg_api_competition_missing 1");
  expect(text).toContain('controller_runtime_reconcile_errors_total{controller="api-instances"} 0');
  expect(text).toContain('leader_election_master_status{name="berg-api"} 1');

  const second = new Process(["--data-dir", dataDir], withPages());
  expect((await second.ended)[0]).toBe(2);
  expect(second.output).toContain("another berg api or berg up uses it");

  const closed = once(socket, "close");
  api.child.kill("SIGTERM");
  // Without a close handshake: clients of the original do not reconnect after a clean close.
  expect((await closed)[0]).toMatchObject({ code: 1006 });
  expect(await api.ended).toEqual([0, null]);
});

test("a request under way is answered at the end, and no other is taken", async () => {
  const api = new Process(["--data-dir", join(directory, "draining")], withPages());
  const { port } = await api.ports();
  const body = JSON.stringify({ token: "none" });
  const head = `POST /api/sign-in HTTP/1.1\r\nHost: berg.example\r\nOrigin: ${publicUrl}\r\nContent-Type: application/json\r\n`;
  const socket = connect(port, "127.0.0.1").setEncoding("utf8");
  let answer = "";
  socket.on("data", (text: string) => (answer += text));
  const closed = once(socket, "close");
  socket.write(`${head}Content-Length: ${body.length}\r\n\r\n${body.slice(0, 3)}`);
  // Answered on another connection: the first request has arrived too.
  await get(port, "/api/metadata");
  api.child.kill("SIGTERM");
  await vi.waitFor(async () => {
    const refused = await get(port, "/api/metadata").then(
      () => false,
      () => true,
    );
    expect(refused).toBe(true);
  }, patiently);
  socket.write(body.slice(3));
  await closed;
  expect(answer).toMatch(/^HTTP\/1\.1 403 /);
  expect(await api.ended).toEqual([0, null]);
});

test("without Kubernetes it serves, answers 503 and says what it waits for", async () => {
  const nowhere = await writeKubeconfig("nowhere", "https://127.0.0.1:1", "none", undefined);
  const dataDir = join(directory, "alone");
  const api = new Process(["--data-dir", dataDir], { ...withPages(), KUBECONFIG: nowhere });
  const { port, healthPort } = await api.ports();
  expect((await get(port, "/challenges")).status).toBe(200);
  const { status, text } = await get(port, "/api/challenges", await signInAsAdmin(port, dataDir));
  expect([status, JSON.parse(text).code]).toEqual([503, "kubernetes_unavailable"]);
  const ready = await get(healthPort, "/readyz");
  expect(ready.status).toBe(500);
  expect(ready.text).toContain("[+]database ok\n[-]kubernetes failed: waiting for caches\n");
  expect((await get(healthPort, "/healthz")).status).toBe(200);
  api.child.kill("SIGTERM");
  expect(await api.ended).toEqual([0, null]);
});

test("--release removes the finalizer of the API, and no other", async () => {
  const names = ["one", "two", "three"];
  for (const name of names) {
    const own = name === "three" ? [] : [finalizers.api];
    const metadata = { namespace: "berg", name, finalizers: ["example.com/other", ...own] };
    const spec = { ownerId: randomUUID(), challengeRef: { name: "notes" }, renewals: 0 };
    await client.create(ChallengeInstances, { metadata, spec } as never);
  }
  const first = new Process(["--release"], { PUBLIC_URL: "" });
  expect(await first.ended).toEqual([0, null]);
  expect(first.output).toContain(`Removed the finalizer ${finalizers.api} from 2 ChallengeInstances in berg.`);
  for (const name of names) {
    const { metadata } = await client.get(ChallengeInstances, "berg", name);
    expect(metadata.finalizers).toEqual(["example.com/other"]);
  }
  const again = new Process(["--release"], { PUBLIC_URL: "" });
  expect(await again.ended).toEqual([0, null]);
  expect(again.output).toContain("Nothing to do");
});

test("every mistake in the environment is told at once, with code 2", async () => {
  const api = new Process([], { PUBLIC_URL: "", API_PORT: "eighty" });
  expect((await api.ended)[0]).toBe(2);
  for (const name of ["PUBLIC_URL", "API_PORT", "DATABASE_URL"]) expect(api.errors).toContain(`cannot read ${name}:`);
  const help = new Process(["--help"]);
  await help.ended;
  for (const name of ["PUBLIC_URL", "DATABASE_URL", "PAGES_DIR", "HANDOUT_REGISTRIES", "METRICS_PORT"]) {
    expect(help.output).toContain(name);
  }
});
