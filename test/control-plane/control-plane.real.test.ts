import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { missingControlPlane } from "./binaries.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { ask } from "./request.ts";

const alice = { name: "alice", token: "alice-token", groups: ["players"] };
const patience = { timeout: 30_000, interval: 100 };

/** A GET as whoever has the token. Of a watch, what came until the server ended it. */
async function get(controlPlane: ControlPlane, path: string, token = controlPlane.token, signal?: AbortSignal) {
  const connection = controlPlane.connectWith(token);
  const { ca } = await connection.tls();
  const headers = { authorization: await connection.authorization() };
  return ask({ host: "127.0.0.1", port: new URL(connection.server).port, path, headers, ca, signal });
}

function createConfigMap(controlPlane: ControlPlane, name: string): Promise<string> {
  return controlPlane.kubectl(["create", "configmap", name]);
}

function hasConfigMap(controlPlane: ControlPlane, name: string): Promise<boolean> {
  return get(controlPlane, `/api/v1/namespaces/default/configmaps/${name}`).then(({ status }) => status === 200);
}

describe.skipIf(await missingControlPlane())("a real control plane", () => {
  let controlPlane: ControlPlane;
  beforeAll(async () => {
    controlPlane = await startControlPlane({ users: [alice] });
  });
  afterAll(() => controlPlane?.stop());

  test("serves kubectl under its own name and version", async () => {
    const version = JSON.parse(await controlPlane.kubectl(["version", "--output=json"]));
    expect(version.serverVersion.gitVersion).toBe(version.clientVersion.gitVersion);
    expect(await controlPlane.kubectl(["get", "namespaces", "--output=name"])).toContain("namespace/default\n");
  });

  test("gives kubectl its input, and its complaint as an error", async () => {
    const input = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "from-stdin" } });
    expect(await controlPlane.kubectl(["create", "-f", "-"], { input })).toBe("configmap/from-stdin created\n");
    await expect(controlPlane.kubectl(["get", "configmap", "nobody"])).rejects.toThrow(
      'kubectl get ended with 1: Error from server (NotFound): configmaps "nobody" not found',
    );
  });

  test("its controllers make the pods of a deployment, and its scheduler finds no node for them", async () => {
    await controlPlane.kubectl(["create", "deployment", "web", "--image=web", "--replicas=2"]);
    const reasons = ["get", "pods", "--selector=app=web", "--output=jsonpath={.items[*].status.conditions[*].reason}"];
    await vi.waitFor(
      async () => expect(await controlPlane.kubectl(reasons)).toBe("Unschedulable Unschedulable"),
      patience,
    );
  });

  test("deletes a namespace with what is in it", async () => {
    await controlPlane.kubectl(["create", "namespace", "short"]);
    await controlPlane.kubectl(["create", "configmap", "inside", "--namespace=short"]);
    await controlPlane.kubectl(["delete", "namespace", "short", "--timeout=30s"]);
    expect((await get(controlPlane, "/api/v1/namespaces/short")).status).toBe(404);
  });

  test("knows the users it was given, and lets them do what RBAC says", async () => {
    const secrets = "/api/v1/namespaces/default/secrets";
    expect((await get(controlPlane, secrets, "unknown-token")).status).toBe(401);
    expect((await get(controlPlane, secrets, alice.token)).status).toBe(403);
    const binding = ["create", "rolebinding", "players", "--clusterrole=admin", "--group=players"];
    await controlPlane.kubectl(binding);
    await vi.waitFor(async () => expect((await get(controlPlane, secrets, alice.token)).status).toBe(200), patience);
  });

  test("signs tokens for service accounts", async () => {
    const token = (await controlPlane.kubectl(["create", "token", "default"])).trim();
    const { status, body } = await get(controlPlane, "/api/v1/namespaces", token);
    expect(status).toBe(403);
    expect(JSON.parse(body).message).toContain("system:serviceaccount:default:default");
  });

  test("is reached on 127.0.0.1 alone", async () => {
    const { port } = new URL(controlPlane.server);
    const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    for (const { address, family } of addresses.filter(({ internal }) => !internal)) {
      if (family !== "IPv4") continue;
      const outcome = await new Promise((resolve) => {
        const socket = connect(Number(port), address, () => resolve("connected"));
        socket.on("error", (error: NodeJS.ErrnoException) => resolve(error.code));
      });
      expect(outcome).toBe("ECONNREFUSED");
    }
  });

  test.each(["kill", "stop"] as const)("keeps address and objects over apiServer.%s and start", async (end) => {
    const { server } = controlPlane;
    await createConfigMap(controlPlane, `before-${end}`);
    await controlPlane.apiServer[end]();
    await expect(get(controlPlane, "/readyz")).rejects.toThrow("ECONNREFUSED");

    await controlPlane.apiServer.start();
    expect(controlPlane.server).toBe(server);
    expect(await hasConfigMap(controlPlane, `before-${end}`)).toBe(true);
  });

  test("keeps objects when etcd is killed and started", async () => {
    await createConfigMap(controlPlane, "before-etcd");
    await controlPlane.etcd.kill();
    await controlPlane.etcd.start();
    await vi.waitFor(async () => expect(await hasConfigMap(controlPlane, "before-etcd")).toBe(true), patience);
  });

  test("a paused API server answers nothing until it is resumed", async () => {
    controlPlane.apiServer.pause();
    const unanswered = get(controlPlane, "/readyz", controlPlane.token, AbortSignal.timeout(300));
    await expect(unanswered).rejects.toThrow("aborted");
    controlPlane.apiServer.resume();
    expect((await get(controlPlane, "/readyz")).status).toBe(200);
  });

  test("after compaction a watch from before it expires, at once or when the watch cache starts anew", async () => {
    const start = JSON.parse((await get(controlPlane, "/api/v1/namespaces")).body).metadata.resourceVersion;
    await createConfigMap(controlPlane, "later");
    await createConfigMap(controlPlane, "last");
    const firstFrame = async (resource: string) => {
      const watch = `/api/v1/${resource}?watch=true&timeoutSeconds=1&resourceVersion=${start}`;
      const [frame] = (await get(controlPlane, watch)).body.split("\n");
      return frame ? JSON.parse(frame) : undefined;
    };
    const expired = { type: "ERROR", object: { code: 410, reason: "Expired" } };
    expect(await firstFrame("events")).not.toMatchObject(expired);

    const revision = await controlPlane.compactEtcd();
    expect(revision).toBeGreaterThan(Number(start));
    expect(await firstFrame("events")).toMatchObject(expired);
    expect(await firstFrame("configmaps")).toMatchObject({ type: "ADDED", object: { metadata: { name: "later" } } });

    await controlPlane.apiServer.kill();
    await controlPlane.apiServer.start();
    expect(await firstFrame("configmaps")).toMatchObject(expired);
  });

  test("loses every object when etcd is wiped", async () => {
    await createConfigMap(controlPlane, "before-wipe");
    await controlPlane.etcd.wipe();
    await controlPlane.etcd.start();
    await controlPlane.apiServer.kill();
    await controlPlane.apiServer.start();
    expect(await hasConfigMap(controlPlane, "before-wipe")).toBe(false);
    expect(await controlPlane.kubectl(["get", "namespaces", "--output=name"])).toContain("namespace/default\n");
  });
});
