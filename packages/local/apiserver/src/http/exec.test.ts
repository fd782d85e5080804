/** The node here is a stand-in that echoes: what a real one does with a command is tested where it runs containers. */
import { Buffer } from "node:buffer";
import { type Client, createClient, Pods, ServiceAccounts, unlimited } from "@berg/kube";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { type ApiServer, startApiServer } from "../server.ts";
import type { ExecOptions, ExecSession, Nodes } from "./nodes.ts";
import { send } from "./testing/raw-requests.ts";

/** Says what it is told, until its input ends; then how large its terminal was, as an error. */
class Echo implements ExecSession {
  readonly options: ExecOptions;
  readonly #said: { stream: "stdout" | "stderr"; bytes: Uint8Array }[] = [];
  #more = Promise.withResolvers<void>();
  #hasEnded = false;
  size = "";
  isClosed = false;

  constructor(options: ExecOptions) {
    this.options = options;
    if (!options.stdin) this.endInput();
  }

  get output() {
    return this.#output();
  }
  async *#output() {
    for (;;) {
      const next = this.#said.shift();
      if (next) yield next;
      else if (this.#hasEnded) return;
      else await this.#more.promise;
    }
  }
  #say(stream: "stdout" | "stderr", bytes: Uint8Array): void {
    this.#said.push({ stream, bytes });
    this.#more.resolve();
    this.#more = Promise.withResolvers();
  }
  async write(bytes: Uint8Array) {
    this.#say("stdout", bytes);
  }
  endInput() {
    this.#hasEnded = true;
    this.#say("stderr", Buffer.from(`size ${this.size}`));
  }
  async resize(columns: number, rows: number) {
    this.size = `${columns}x${rows}`;
  }
  async exitCode() {
    return Number(this.options.command[1] ?? 0);
  }
  close() {
    this.isClosed = true;
  }
}

describe("a command in a pod", () => {
  let server: ApiServer;
  let client: Client;
  const sessions: Echo[] = [];
  const nodes: Nodes = {
    podLogs: () => Promise.reject(new Error("not asked for here")),
    async exec(_pod, options) {
      const session = new Echo(options);
      sessions.push(session);
      return session;
    },
  };

  beforeEach(async () => {
    sessions.length = 0;
    server = await startApiServer({ dataDir: ":memory:", nodes, users: [reader] });
    client = createClient({ connection: server.connection, component: "test", rate: unlimited });
    await client.create(ServiceAccounts, { metadata: { namespace: "default", name: "default" } });
    for (const [name, containers] of Object.entries({ web: ["main"], two: ["a", "b"] })) {
      await client.create(Pods, {
        metadata: { namespace: "default", name },
        spec: { nodeName: "one", containers: containers.map((container) => ({ name: container, image: "none" })) },
      });
    }
  });
  afterEach(async () => {
    await client.close();
    await server.stop();
  });

  const reader = { token: "reader", user: { name: "reader", groups: [] } };

  function open(query: string, { pod = "web", token = server.token, protocol = "v5.channel.k8s.io" } = {}) {
    const url = `${server.url.replace("https", "wss")}/api/v1/namespaces/default/pods/${pod}/exec?${query}`;
    const socket = new WebSocket(url, [protocol], { ca: server.caPem, headers: { authorization: `Bearer ${token}` } });
    const heard: Record<number, string> = {};
    socket.on("message", (data: Buffer) => {
      const [channel = -1] = data;
      heard[channel] = (heard[channel] ?? "") + data.subarray(1).toString();
    });
    const closed = new Promise<number>((resolve) => socket.on("close", resolve));
    const opened = new Promise<void>((resolve, reject) => {
      socket.on("open", resolve);
      socket.on("unexpected-response", (_, response) => {
        let text = "";
        response.on("data", (chunk) => (text += chunk));
        response.on("end", () => reject(new Error(`${response.statusCode} ${JSON.parse(text).message}`)));
      });
    });
    opened.catch(() => {});
    return {
      socket,
      heard,
      opened,
      closed,
      send: (channel: number, text: string) => socket.send(Buffer.concat([Buffer.of(channel), Buffer.from(text)])),
    };
  }

  test("hears its input, says what it says, and ends with its exit code", async () => {
    const { heard, opened, closed, send } = open("command=echo&command=3&stdin=true&stdout=true&stderr=true&tty=false");
    await opened;
    send(4, JSON.stringify({ Width: 80, Height: 24 }));
    send(0, "hello ");
    send(0, "wörld");
    await expect.poll(() => heard[1]).toBe("hello wörld");
    send(255, "\0");
    expect(await closed).toBe(1000);
    expect(heard[2]).toBe("size 80x24");
    expect(JSON.parse(heard[3] ?? "")).toEqual({
      metadata: {},
      status: "Failure",
      message: "command terminated with non-zero exit code: exit status 3",
      reason: "NonZeroExitCode",
      details: { causes: [{ reason: "ExitCode", message: "3" }] },
    });
    expect(sessions[0]).toMatchObject({
      isClosed: true,
      options: { container: "main", command: ["echo", "3"], tty: false },
    });
  });

  test("that succeeds says so, and what nobody asked for is not sent", async () => {
    const { heard, closed } = open("command=true&stdout=true");
    expect(await closed).toBe(1000);
    expect(heard).toEqual({ 1: "", 3: JSON.stringify({ metadata: {}, status: "Success" }) });
  });

  test("is let go of when the client is gone, and when the server stops", async () => {
    const first = open("command=cat&stdin=true&stdout=true");
    await first.opened;
    first.socket.terminate();
    await expect.poll(() => sessions[0]?.isClosed).toBe(true);
    const second = open("command=cat&stdin=true&stdout=true");
    await second.opened;
    await server.stop();
    await second.closed;
    expect(sessions[1]?.isClosed).toBe(true);
  });

  test.each([
    { query: "command=true&stdout=true&container=other", want: "400 container other is not valid for pod web" },
    { query: "stdout=true", want: "400 you must specify at least 1 command for the container" },
    { query: "command=true", want: "400 you must specify at least 1 of stdin, stdout, stderr" },
    {
      query: "command=true&stdout=true",
      pod: "two",
      want: "400 a container name must be specified for pod two, choose one of: [a b]",
    },
    { query: "command=true&stdout=true", pod: "none", want: '404 pods "none" not found' },
    { query: "command=true&stdout=true", protocol: "v4.channel.k8s.io", want: "400 Upgrade request required" },
    { query: "command=true&stdout=true", token: "wrong", want: "401 Unauthorized" },
    {
      query: "command=true&stdout=true",
      token: "reader",
      want: '403 pods "web" is forbidden: User "reader" cannot get resource "pods/exec" in API group "" in the namespace "default"',
    },
  ])("is refused: $want", async ({ query, want, ...options }) => {
    await expect(open(query, options).opened).rejects.toThrow(want);
    expect(sessions).toEqual([]);
  });

  test("takes the right to create, not to read", async () => {
    const role = { kind: "ClusterRole", name: "exec-reader", apiGroup: "rbac.authorization.k8s.io" };
    const post = (path: string, body: object) =>
      send(server as never, {
        method: "POST",
        path: `/apis/rbac.authorization.k8s.io/v1/${path}`,
        body: JSON.stringify(body),
        headers: { "content-type": "application/json" },
      });
    await post("clusterroles", {
      metadata: { name: role.name },
      rules: [{ apiGroups: [""], resources: ["pods/exec"], verbs: ["get"] }],
    });
    await post("clusterrolebindings", {
      metadata: { name: role.name },
      roleRef: role,
      subjects: [{ kind: "User", name: "reader", apiGroup: "rbac.authorization.k8s.io" }],
    });
    await expect(open("command=true&stdout=true", { token: "reader" }).opened).rejects.toThrow(
      /403 .* cannot create resource "pods\/exec"/,
    );
  });

  test("other requests that want a WebSocket are answered as ever", async () => {
    const url = `${server.url.replace("https", "wss")}/version`;
    const socket = new WebSocket(url, { ca: server.caPem });
    const code = await new Promise((resolve) =>
      socket.on("unexpected-response", (_, response) => resolve(response.statusCode)),
    );
    expect(code).toBe(200);
  });
});
