/** What a real kubelet does with pods, and our client's logs of them. */
import { type Client, ConfigMaps, createClient, Pods, Services } from "@berg/kube";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ControlPlane, startControlPlane } from "../control-plane/control-plane.ts";
import { ask } from "../control-plane/request.ts";
import { missingNode } from "./missing.ts";
import { startNode, type TestNode } from "./node.ts";
import { endOf, isReady, podOf, podThat, shell, webImage } from "./pods.ts";

// A Service leads to its pods a moment after they are ready.
const patience = { timeout: 20_000 };

describe.skipIf(await missingNode())("a real node", () => {
  let controlPlane: ControlPlane;
  let node: TestNode;
  let client: Client;

  beforeAll(async () => {
    controlPlane = await startControlPlane();
    node = await startNode({ controlPlane });
    client = createClient({ connection: controlPlane.connection });
    await node.addImage(webImage);
  });
  afterAll(async () => {
    await client?.close();
    await node?.stop();
    await controlPlane?.stop();
  });

  const run = (...pod: Parameters<typeof podOf>) => client.create(Pods, podOf(...pod));
  const ready = (name: string) => podThat(client, name, "is ready", isReady);
  const textOf = async (log: AsyncIterable<string>) => (await Array.fromAsync(log)).join("");

  test("a pod with a probe and limits becomes ready, is limited, and can be looked into", async () => {
    await run("web", {
      readinessProbe: { httpGet: { path: "/", port: 8080 }, periodSeconds: 1 },
      resources: { limits: { cpu: "200m", memory: "32Mi" } },
    });
    await ready("web");
    expect(await node.exec({ pod: "web" }, ["id", "-u"])).toBe("1000\n");
    const limitFiles = "/sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes";
    const limit = await node.exec({ pod: "web" }, ["sh", "-c", `cat ${limitFiles} 2>/dev/null || true`]);
    expect(Number(limit)).toBe(32 * 1024 * 1024);
  });

  test("a command that fails in a container tells what it said", async () => {
    await run("shell", shell("sleep 100"));
    await ready("shell");
    await expect(node.exec({ pod: "shell" }, ["cat", "/nowhere"])).rejects.toThrow("can't open '/nowhere'");
  });

  test("a pod that never becomes ready shows it", async () => {
    await run("deaf", { readinessProbe: { httpGet: { path: "/", port: 9 }, periodSeconds: 1 } });
    const pod = await podThat(client, "deaf", "runs", ({ status }) => status?.phase === "Running");
    expect(isReady(pod)).toBe(false);
  });

  test("a log is followed as it is written, and ends with its container", async () => {
    await run("talker", shell("echo first; while [ ! -e /tmp/go ]; do sleep 0.1; done; echo grüezi 🚩; echo last"));
    await ready("talker");
    let log = "";
    for await (const piece of client.logs("default", "talker", { follow: true })) {
      if (log === "") await node.exec({ pod: "talker" }, ["touch", "/tmp/go"]);
      log += piece;
    }
    expect(log).toBe("first\ngrüezi 🚩\nlast\n");
    expect(await textOf(client.logs("default", "talker", { tailLines: 1 }))).toBe("last\n");
    expect(await textOf(client.logs("default", "talker", { container: "talker", timestamps: true }))).toMatch(
      /^\d{4}-\d\d-\d\dT\S+Z first\n/,
    );
  });

  test("a big log arrives whole", async () => {
    // It stays after its last line: containerd may lose what a container wrote right before its end.
    await run("lines", shell("seq 1 50000; sleep 100"));
    await ready("lines");
    let log = "";
    for await (const piece of client.logs("default", "lines", { follow: true })) {
      log += piece;
      if (log.endsWith("\n50000\n")) break;
    }
    expect(log.split("\n").length).toBe(50_001);
    expect(await textOf(client.logs("default", "lines"))).toBe(log);
  });

  test("whoever stops following is let go, at once and by its own reason", async () => {
    await run("quiet", shell("echo here; sleep 100"));
    await ready("quiet");
    const abort = new AbortController();
    const following = (async () => {
      for await (const _ of client.logs("default", "quiet", { follow: true, signal: abort.signal })) {
        abort.abort(new Error("seen enough"));
      }
    })();
    await expect(following).rejects.toThrow("seen enough");
  });

  test("the log of a container before its restart can be read", async () => {
    const once = "[ ! -e /kept/once ] || sleep 100; touch /kept/once; echo before; exit 1";
    await run(
      "again",
      { ...shell(once), volumeMounts: [{ name: "kept", mountPath: "/kept" }] },
      { restartPolicy: "Always", volumes: [{ name: "kept", emptyDir: {} }] },
    );
    await podThat(client, "again", "was restarted", ({ status }) => status?.containerStatuses?.[0]?.restartCount === 1);
    await ready("again");
    expect(await textOf(client.logs("default", "again", { previous: true }))).toBe("before\n");
  });

  test("a file of a ConfigMap has its mode and its bytes", async () => {
    const bytes = Buffer.from([0, 255, 10, 13]);
    const metadata = { name: "files", namespace: "default" };
    await client.create(ConfigMaps, { metadata, binaryData: { secret: bytes.toString("base64") } });
    await run(
      "files",
      { volumeMounts: [{ name: "files", mountPath: "/etc/one-file", subPath: "one-file" }], ...shell("sleep 100") },
      {
        volumes: [
          { name: "files", configMap: { name: "files", items: [{ key: "secret", path: "one-file", mode: 0o440 }] } },
        ],
      },
    );
    await ready("files");
    expect(await node.exec({ pod: "files" }, ["stat", "-c", "%a %u %s", "/etc/one-file"])).toBe("440 0 4\n");
    await expect(node.exec({ pod: "files" }, ["cat", "/etc/one-file"])).rejects.toThrow("Permission denied");
  });

  test("a pod that exits tells its code", async () => {
    await run("leaver", shell("exit 7"));
    expect(endOf(await podThat(client, "leaver", "has ended", endOf))).toMatchObject({ exitCode: 7, reason: "Error" });
  });

  test("a pod that takes more memory than its limit is ended for it", async () => {
    await run("eater", { command: ["tail", "/dev/zero"], resources: { limits: { memory: "32Mi" } } });
    const pod = await podThat(client, "eater", "has ended", endOf);
    expect(endOf(pod)).toMatchObject({ exitCode: 137, reason: "OOMKilled" });
  });

  test("a Service is found by its name, at its own address and at the node's", async () => {
    await run("server");
    await run("asker", shell("sleep 100"));
    const spec = { type: "NodePort", selector: { app: "server" }, ports: [{ port: 80, targetPort: 8080 }] };
    const service = await client.create(Services, { metadata: { name: "front", namespace: "default" }, spec });
    const headless = { clusterIP: "None", selector: { app: "server" } };
    await client.create(Services, { metadata: { name: "headless", namespace: "default" }, spec: headless });
    await ready("server");
    await ready("asker");

    const fetched = (url: string) => node.exec({ pod: "asker" }, ["wget", "-qO-", url]);
    await expect.poll(() => fetched("http://front").catch(String), patience).toBe("hello\n");
    expect(await fetched("http://front.default.svc.cluster.local")).toBe("hello\n");
    await expect.poll(() => fetched("http://headless:8080").catch(String), patience).toBe("hello\n");
    await expect(fetched("http://nobody")).rejects.toThrow("bad address");
    const nodePort = service.spec?.ports?.[0]?.nodePort ?? 0;
    await expect
      .poll(() => ask({ host: node.address, port: nodePort }).catch(String), patience)
      .toEqual({ status: 200, body: "hello\n" });
  });

  test("the bandwidth that a pod asks for is set up", async () => {
    const pod = podOf("slow", shell("sleep 100"));
    const annotations = { "kubernetes.io/ingress-bandwidth": "3M", "kubernetes.io/egress-bandwidth": "5M" };
    await client.create(Pods, { ...pod, metadata: { ...pod.metadata, annotations } });
    await ready("slow");
    const queues = await node.run(["tc", "qdisc", "show"]);
    expect(queues).toMatch(/tbf .* rate 3Mbit/);
    expect(queues).toMatch(/tbf .* rate 5Mbit/);
  });
});
