/** A pod that takes whatever it can get hurts only itself. Everything it tries here is bounded. */
import { type Client, createClient, type Pod, Pods } from "@berg/kube";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ControlPlane, startControlPlane } from "../control-plane/control-plane.ts";
import { ask } from "../control-plane/request.ts";
import { podPidsLimit } from "./kubelet.ts";
import { missingNode } from "./missing.ts";
import { startNode, type TestNode } from "./node.ts";
import { isReady, podOf, podThat, shell, webImage } from "./pods.ts";

const forkBomb = "bomb() { bomb | bomb & bomb; }; bomb";
const fillDisk = "dd if=/dev/zero of=/tmp/full bs=1M count=100";

const slowestAnswerMs = 2_000;

describe.skipIf(await missingNode())("a pod that takes whatever it can get", () => {
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

  async function neighbour(): Promise<Pod> {
    const readinessProbe = { httpGet: { path: "/", port: 8080 }, periodSeconds: 1, timeoutSeconds: 1 };
    const pod = podOf("web", {
      readinessProbe,
      livenessProbe: { ...readinessProbe, failureThreshold: 1 },
      ports: [{ containerPort: 8080, hostPort: 8080 }],
    });
    await client.create(Pods, pod);
    return podThat(client, "web", "is ready", isReady);
  }

  /** How long the neighbour takes to answer a player, and to run a command, in milliseconds. */
  async function answerTimes() {
    const timed = async (what: () => Promise<unknown>) => {
      const start = performance.now();
      await what();
      return performance.now() - start;
    };
    return {
      request: await timed(() => ask({ host: node.address, port: 8080, signal: AbortSignal.timeout(10_000) })),
      exec: await timed(() => node.exec({ pod: "web" }, ["true"])),
    };
  }

  /** The most processes and the limit of the pod, as the kernel counts them. */
  async function processesOf({ metadata }: Pod) {
    const find = `find /sys/fs/cgroup -type d -name "*pod${metadata.uid}"`;
    const read = (file: string) =>
      node.run(["sh", "-c", `for d in $(${find}); do cat $d/${file} 2>/dev/null; done; true`]);
    return { now: Number(await read("pids.current")), most: Number(await read("pids.max")) };
  }

  test("is held to its processes, memory and disk, and its neighbour goes on answering", async () => {
    const { status: before } = await neighbour();
    const limits = { cpu: "500m", memory: "64Mi", "ephemeral-storage": "20Mi" };
    const bully = await client.create(
      Pods,
      podOf("bully", { ...shell(`${fillDisk} & (${forkBomb}) & exec sleep 1000`), resources: { limits } }),
    );

    const times: Awaited<ReturnType<typeof answerTimes>>[] = [];
    let mostProcesses = 0;
    const evicted = podThat(client, "bully", "is evicted", ({ status }) => status?.reason === "Evicted");
    let over = false;
    void evicted
      .finally(() => {
        over = true;
      })
      .catch(() => {});
    while (!over) {
      times.push(await answerTimes());
      const { now, most } = await processesOf(bully);
      mostProcesses = Math.max(mostProcesses, now);
      if (now > 0) expect(most).toBe(podPidsLimit);
    }

    expect((await evicted).status?.message).toContain("ephemeral local storage usage exceeds");
    expect(mostProcesses).toBeGreaterThan(podPidsLimit / 2);
    expect(mostProcesses).toBeLessThanOrEqual(podPidsLimit);
    const slowest = (kind: "request" | "exec") => Math.max(...times.map((time) => time[kind]));
    process.stdout.write(
      `a neighbour of ${mostProcesses} greedy processes, asked ${times.length} times: ` +
        `slowest answer ${slowest("request").toFixed(0)} ms, slowest command ${slowest("exec").toFixed(0)} ms\n`,
    );
    expect(times.length).toBeGreaterThan(5);
    expect(slowest("request")).toBeLessThan(slowestAnswerMs);
    const { status: after } = await client.get(Pods, "default", "web");
    const life = (status: Pod["status"]) => ({
      restarts: status?.containerStatuses?.[0]?.restartCount,
      readySince: status?.conditions?.find(({ type }) => type === "Ready")?.lastTransitionTime,
    });
    expect(life(after)).toEqual(life(before));
    // What it had started is gone with it, and so is what it had written.
    await expect.poll(async () => (await processesOf(bully)).now, { timeout: 30_000 }).toBe(0);
  });
});
