/** What an author or an account could do to the machine itself, if it were let: with real containers of `berg up`. */
import { readFile } from "node:fs/promises";
import { Deployments, type Pod, Pods } from "@berg/kube";
import { imageArchive } from "@berg/local-node";
import { ChallengeInstances, Challenges } from "@berg/resources";
import { expect, test, vi } from "vitest";
import { onOneMachine } from "./on-one-machine.ts";

const soon = { timeout: 110_000, interval: 200 };
const image = "berg.local/host:1";

onOneMachine((given) => {
  async function loadImage(): Promise<void> {
    const busybox = { content: await readFile("/bin/busybox"), mode: 0o755 };
    const command = ["/bin/busybox", "sh", "-c", "/bin/busybox grep CapEff /proc/1/status; /bin/busybox sleep 1000"];
    await given.machine.engine.loadImage(imageArchive({ name: image, layers: [{ "/bin/busybox": busybox }], command }));
  }

  test("a Challenge that asks for the host's files is refused, and runs where its capability is allowed", async () => {
    await loadImage();
    const client = await given.machine.client();
    const container = { hostname: "web", image, ports: [], additionalCapabilities: ["DAC_READ_SEARCH"] };
    const spec = { containers: [container] } as never;
    await client.create(Challenges, { metadata: { namespace: "berg", name: "reader" }, spec });
    const { name } = await given.machine.startInstance("reader", "--no-wait");
    await vi.waitFor(async () => {
      expect((await client.get(ChallengeInstances, "berg", name)).status).toMatchObject({
        phase: "Failed",
        reason: "ChallengeInvalid",
        message: expect.stringContaining("the capability DAC_READ_SEARCH is not allowed"),
      });
    }, soon);

    given.up.child.kill("SIGINT");
    await given.up.ended;
    given.up = await given.machine.up("--no-samples", "--allow-capabilities", "DAC_READ_SEARCH");
    const again = await given.machine.client();
    const { status } = await vi.waitFor(async () => {
      const instance = await again.get(ChallengeInstances, "berg", name);
      expect(instance.status?.phase).toBe("Running");
      return instance;
    }, soon);
    const { items } = await again.list(Pods, { namespace: status?.namespace ?? "" });
    const path = `/api/v1/namespaces/${status?.namespace}/pods/${items[0]?.metadata.name}/log`;
    // The third bit is CAP_DAC_READ_SEARCH.
    const text = await vi.waitFor(async () => {
      const log = String(await again.raw(path));
      expect(log).toContain("CapEff");
      return log;
    }, soon);
    expect(BigInt(`0x${text.trim().split(/\s+/).at(-1)}`) & 4n).toBe(4n);
  });

  test("a container that fills the disk again and again fails its instance, and leaves nothing behind", async () => {
    const { machine } = given;
    const busybox = { content: await readFile("/bin/busybox"), mode: 0o755 };
    const command = [
      "/bin/busybox",
      "sh",
      "-c",
      "/bin/busybox head -c 9000000 /dev/zero > /full; /bin/busybox sleep 1000",
    ];
    const fills = "berg.local/fills:1";
    await machine.engine.loadImage(imageArchive({ name: fills, layers: [{ "/bin/busybox": busybox }], command }));
    const client = await machine.client();
    const amount = { "ephemeral-storage": "4Mi" };
    const container = { hostname: "web", image: fills, ports: [], resourceLimits: amount, resourceRequests: amount };
    const spec = { containers: [container] } as never;
    await client.create(Challenges, { metadata: { namespace: "berg", name: "fills" }, spec });
    const { name } = await machine.startInstance("fills", "--no-wait");
    const { status } = await vi.waitFor(async () => {
      const instance = await client.get(ChallengeInstances, "berg", name);
      expect(instance.status).toMatchObject({
        phase: "Failed",
        reason: "OutOfDisk",
        message: "Container web: again and again, it was stopped because it used more disk space than it may.",
      });
      return instance;
    }, soon);
    const evicted = async () => {
      const { items } = await client.list(Pods, { namespace: status?.namespace ?? "" });
      return items.filter((pod) => pod.status?.reason === "Evicted").map(({ metadata }) => metadata.uid);
    };
    expect((await evicted()).length).toBeGreaterThanOrEqual(3);
    await vi.waitFor(async () => {
      const uids = await evicted();
      const containers = await machine.engine.listContainers({ "berg.local/namespace": status?.namespace ?? "" });
      expect(containers.filter(({ labels }) => uids.includes(labels["berg.local/pod-uid"] ?? ""))).toEqual([]);
    }, soon);
  });

  test("pods that would be a part of the host fail, in a namespace without labels, and are not made anew at once", async () => {
    await loadImage();
    const client = await given.machine.client();
    const labels = { app: "host" };
    const container = { name: "c", image, securityContext: { privileged: true } };
    const template = { metadata: { labels }, spec: { containers: [container] } };
    const spec = { replicas: 1, selector: { matchLabels: labels }, template };
    await client.create(Deployments, { metadata: { namespace: "default", name: "host" }, spec } as never);
    const failed = async (): Promise<Pod[]> => {
      const { items } = await client.list(Pods, { namespace: "default", labelSelector: "app=host" });
      return items.filter((pod) => pod.status?.phase === "Failed");
    };
    await vi.waitFor(async () => expect((await failed()).length).toBeGreaterThanOrEqual(3), soon);
    for (const { status } of await failed())
      expect(status).toMatchObject({ reason: "PodForbidden", message: expect.stringContaining("is privileged") });
    const [, second = 0, third = 0] = (await failed())
      .map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? ""))
      .sort((a, b) => a - b);
    expect(third - second).toBeGreaterThanOrEqual(10_000);
    expect(await given.machine.engine.listContainers({ "berg.local/namespace": "default" })).toEqual([]);
    await client.delete(Deployments, "default", "host");
  });
});
