/** What a container sees of its pod, and what a second process makes of what the first one left: on a real Podman. */
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type Client,
  ConfigMaps,
  createClient,
  Namespaces,
  type Pod,
  Pods,
  Secrets,
  ServiceAccounts,
  unlimited,
} from "@berg/kube";
import { startLocalControlPlane } from "@berg/local-control-plane";
import type { Engine } from "@berg/local-engine";
import { connectEngine } from "@berg/local-engine";
import { busyboxImage, missingPodman, startPodman } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Container, PodSpec } from "../containers/shapes.ts";
import { imageArchive } from "../images/archive.ts";
import { startNetworks } from "../networks/networks.ts";
import { unmountBelow } from "../volumes/mount.ts";
import { openSubPath } from "../volumes/sub-path.ts";
import { writeAtomically } from "../volumes/write-atomically.ts";
import { startContainerNode } from "./container-node.ts";

const namespace = "ctf";
const image = "berg.test/sees:1";
const soon = { timeout: 60_000, interval: 100 };

// Not on the tests' Docker: it sees none of our mounts, and we none of its networks.
describe.skipIf(missingPodman())("on podman", () => {
  const world = new AsyncDisposableStack();
  let engine: Engine;
  let client: Client;
  let directory: string;

  beforeAll(async () => {
    const podman = world.use(await startPodman());
    engine = connectEngine(podman.socket);
    directory = join(podman.directory, "sees");
    await engine.loadImage(imageArchive(busyboxImage({ name: image, command: ["sleep", "1000"] })));
    const { apiServer } = world.use(await startLocalControlPlane({ dataDir: ":memory:" }));
    client = createClient({ connection: apiServer.connection, rate: unlimited });
    world.defer(() => client.close());
    await client.create(Namespaces, { metadata: { name: namespace } });
    const data = { a: "aaa", "b.txt": "b$(A)" };
    await client.create(ConfigMaps, { metadata: { name: "cm", namespace }, data });
    await client.create(Secrets, { metadata: { name: "sec", namespace }, stringData: { s: "sss" } } as never);
    await vi.waitFor(() => client.get(ServiceAccounts, namespace, "default"), soon);
  });
  afterAll(() => world.disposeAsync());

  const start = async () => {
    const networks = await startNetworks({ engine, client, node: "sees", pool: "10.234.0.0/16" });
    const node = await startContainerNode({
      engine,
      client,
      name: "sees",
      dataDir: directory,
      networks,
      capabilities: ["KILL"],
    });
    return { networks, node };
  };
  const create = (name: string, container: Partial<Container>, spec: Partial<PodSpec> = {}) =>
    client.create(Pods, {
      metadata: { name, namespace, labels: { x: "lx" } },
      spec: {
        containers: [{ name: "c", image, ...container }],
        terminationGracePeriodSeconds: 2,
        enableServiceLinks: false,
        ...spec,
      },
    });
  const ready = (name: string): Promise<Pod> =>
    vi.waitFor(async () => {
      const pod = await client.get(Pods, namespace, name);
      expect(pod.status?.conditions?.find(({ type }) => type === "Ready")?.status).toBe("True");
      return pod;
    }, soon);
  const run = async (pod: Pod, script: string): Promise<string[]> => {
    const id = pod.status?.containerStatuses?.[0]?.containerID?.replace("podman://", "") ?? "";
    const options = { command: ["sh", "-c", script], stdin: false, stdout: true, stderr: true, tty: false };
    const session = await engine.exec(id, options);
    let text = "";
    for await (const { bytes } of session.output) text += Buffer.from(bytes).toString();
    return text.trim().split("\n");
  };

  test("a container sees what it would see under a kubelet", async () => {
    const { networks, node } = await start();
    try {
      await create(
        "sees",
        {
          env: [
            { name: "A", value: "a" },
            { name: "B", value: "$(A)-$(C)-$$(A)" },
            { name: "IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } },
            { name: "CPU", valueFrom: { resourceFieldRef: { resource: "limits.cpu" } } },
          ],
          envFrom: [{ prefix: "P_", configMapRef: { name: "cm" } }],
          resources: { limits: { cpu: "1500m", memory: "64Mi" } },
          securityContext: {
            runAsUser: 1000,
            capabilities: { drop: ["ALL"], add: ["KILL"] },
            allowPrivilegeEscalation: false,
          },
          volumeMounts: [
            { name: "cm", mountPath: "/cm" },
            { name: "cm", mountPath: "/one", subPath: "a" },
            { name: "sec", mountPath: "/sec" },
            { name: "memory", mountPath: "/memory" },
            { name: "empty", mountPath: "/empty", subPath: "made/here" },
          ],
        },
        {
          hostname: "hosty",
          subdomain: "sub",
          securityContext: { fsGroup: 2000, supplementalGroups: [3000] },
          volumes: [
            { name: "cm", configMap: { name: "cm", defaultMode: 0o400 } },
            { name: "sec", secret: { secretName: "sec" } },
            { name: "memory", emptyDir: { medium: "Memory", sizeLimit: "8Mi" } },
            { name: "empty", emptyDir: {} },
          ],
        },
      );
      const pod = await ready("sees");
      const ip = pod.status?.podIP ?? "";
      expect(await run(pod, 'echo "$A $B $IP $CPU $P_a $HOSTNAME"; hostname; cat /etc/hostname')).toEqual([
        ...[`a a-$(C)-$(A) ${ip} 2 aaa hosty`, "hosty", "hosty"],
      ]);
      expect(await run(pod, "tail -1 /etc/hosts; cat /etc/resolv.conf")).toEqual([
        `${ip}\thosty.sub.ctf.svc.cluster.local\thosty`,
        "search ctf.svc.cluster.local svc.cluster.local cluster.local",
        ...["nameserver 10.96.0.10", "options ndots:5"],
      ]);
      expect(await run(pod, "id -u; grep -E 'Groups|CapBnd|NoNewPrivs' /proc/1/status")).toEqual([
        ...[
          "1000",
          expect.stringMatching(/^Groups:\t(1000 )?2000 3000/),
          "CapBnd:\t0000000000000020",
          "NoNewPrivs:\t1",
        ],
      ]);
      const list = "stat -L -c '%A %u %g %n' /cm /cm/a /one /sec/s /memory /empty; cat /one /sec/s";
      expect(await run(pod, list)).toEqual([
        "drwxrwsrwx 0 2000 /cm",
        "-r--r----- 0 2000 /cm/a",
        "-r--r----- 0 2000 /one",
        "-rw-r--r-- 0 2000 /sec/s",
        "drwxrwsrwt 0 2000 /memory",
        "drwxrwsrwx 0 2000 /empty",
        "aaasss",
      ]);
      expect(await run(pod, "grep -E ' /(memory|cm) ' /proc/mounts | cut -d' ' -f2-4")).toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^\/memory tmpfs rw,.*size=8192k/),
          expect.stringMatching(/^\/cm \S+ ro,/),
        ]),
      );
      expect(await run(pod, "touch /cm/x 2>&1; touch /empty/x && echo made")).toEqual([
        ...[expect.stringContaining("Read-only file system"), "made"],
      ]);
    } finally {
      await node.stop({ removeContainers: true });
      await networks.stop();
    }
    expect(await readdir(join(directory, "pods"))).toEqual([]);
    expect(await readFile("/proc/mounts", "utf8")).not.toContain(directory);
  }, 120_000);

  test("a pod that takes too much of the disk is evicted, with the kubelet's messages", async () => {
    await client.deleteCollection(Pods, { namespace, gracePeriodSeconds: 0 });
    const { networks, node } = await start();
    const fill = (file: string) => ["sh", "-c", `dd if=/dev/zero of=${file} bs=1024 count=3000; sleep 1000`];
    try {
      await create(
        "volume",
        { command: fill("/scratch/large"), volumeMounts: [{ name: "scratch", mountPath: "/scratch" }] },
        { volumes: [{ name: "scratch", emptyDir: { sizeLimit: "2Mi" } }] },
      );
      await create("layer", { command: fill("/large"), resources: { limits: { "ephemeral-storage": "2Mi" } } });
      const many = "i=0; while [ $i -lt 2000 ]; do : > /f$i; i=$((i+1)); done; sleep 1000";
      const limits = { "ephemeral-storage": "2Mi" };
      await create("files", { command: ["sh", "-c", many], resources: { limits } });
      const unlinked = "exec 3>/large; rm /large; dd if=/dev/zero bs=1024 count=3000 >&3; sleep 1000";
      await create("unlinked", { command: ["sh", "-c", unlinked], resources: { limits } });
      await create("small", { resources: { limits: { "ephemeral-storage": "2Mi" } } });
      const ended = (name: string) =>
        vi.waitFor(async () => {
          const { status } = await client.get(Pods, namespace, name);
          expect(status?.phase).toBe("Failed");
          return [status?.reason, status?.message];
        }, soon);
      expect(await ended("volume")).toEqual([
        "Evicted",
        'Usage of EmptyDir volume "scratch" exceeds the limit "2Mi". ',
      ]);
      expect(await ended("layer")).toEqual([
        "Evicted",
        "Pod ephemeral local storage usage exceeds the total limit of containers 2Mi. ",
      ]);
      expect((await ended("files"))[0]).toBe("Evicted");
      expect((await ended("unlinked"))[0]).toBe("Evicted");
      await ready("small");
      // Their files are removed; their status stays readable.
      const names = async () => (await engine.listContainers({ "berg.local/node": "sees" })).map(({ name }) => name);
      await vi.waitFor(
        async () => expect((await names()).filter((name) => !name.startsWith("berg_small_"))).toEqual([]),
        soon,
      );
      const { items } = await client.list(Pods, { namespace });
      const uids = items.filter(({ metadata }) => metadata.name !== "small").map(({ metadata }) => metadata.uid);
      const directories = () => readdir(join(directory, "pods"));
      await vi.waitFor(async () => expect((await directories()).filter((one) => uids.includes(one))).toEqual([]), soon);
      const { status } = await client.get(Pods, namespace, "layer");
      expect(status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(137);
    } finally {
      await client.deleteCollection(Pods, { namespace, gracePeriodSeconds: 0 });
      await node.stop({ removeContainers: true });
      await networks.stop();
    }
  });

  test("a second process takes over what the first one left", async () => {
    await client.deleteCollection(Pods, { namespace, gracePeriodSeconds: 0 });
    const first = await start();
    await create(
      "kept",
      { volumeMounts: [{ name: "m", mountPath: "/m" }] },
      { volumes: [{ name: "m", emptyDir: { medium: "Memory" } }] },
    );
    await create("gone", {});
    const before = await ready("kept");
    await run(before, "echo still > /m/x");
    await ready("gone");
    await first.node.stop();
    await first.networks.leave();
    await client.delete(Pods, namespace, "gone", { gracePeriodSeconds: 0 });

    const second = await start();
    try {
      await vi.waitFor(async () => {
        const left = await engine.listContainers({ "berg.local/node": "sees" });
        expect(new Set(left.map(({ labels }) => labels["berg.local/pod"]))).toEqual(new Set(["kept"]));
      }, soon);
      const after = await ready("kept");
      expect(after.status?.containerStatuses).toEqual(before.status?.containerStatuses);
      expect(await run(after, "cat /m/x")).toEqual(["still"]);
      await client.delete(Pods, namespace, "kept");
      await vi.waitFor(() => expect(client.get(Pods, namespace, "kept")).rejects.toThrow("not found"), soon);
      expect(await engine.listContainers({ "berg.local/node": "sees" })).toEqual([]);
    } finally {
      await second.node.stop({ removeContainers: true });
      await second.networks.stop();
    }
  }, 120_000);

  test("files belong to the pod's group, whose members may read them", async () => {
    const volume = join(directory, "group");
    await mkdir(volume, { recursive: true });
    await writeAtomically(volume, new Map([["a", { bytes: Buffer.from("1"), mode: 0o400 }]]), { group: 2000 }, "v1");
    const { mode, gid } = await stat(join(volume, "a"));
    expect([mode & 0o777, gid]).toEqual([0o440, 2000]);
  });

  test("a part of a volume stays what it was when its place is later made a link to the host", async () => {
    const volume = join(directory, "volume");
    const holder = join(directory, "holder");
    await mkdir(join(volume, "d"), { recursive: true });
    await writeFile(join(volume, "d/x"), "in");
    const held = await openSubPath(volume, "d", holder);
    expect(await readdir(held)).toEqual(["x"]);
    await rm(join(volume, "d"), { recursive: true });
    await symlink("/etc", join(volume, "d"));
    expect(await readdir(held)).toEqual([]);
    await expect(openSubPath(volume, "d", join(directory, "another"))).rejects.toThrow("leads out of its volume");
    await unmountBelow(directory);
  });
});
