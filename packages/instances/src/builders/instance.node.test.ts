/** What the builders make, run by a real kubelet: flags as they arrive inside containers, and addresses that lead somewhere. */
import { type Client, createClient, type Pod, Pods, Services } from "@berg/kube";
import { type ChallengeContainer, labels } from "@berg/resources";
import { busyboxImage, type ControlPlane, missingNode, startControlPlane, startNode, type TestNode } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Architecture } from "../flags/executable.ts";
import type { BuildSettings } from "../settings/settings.ts";
import type { Blueprint } from "./blueprint.ts";
import { containerFlag } from "./container-flag.ts";
import { endpointEnv } from "./endpoints.ts";
import { flagObjects } from "./flag-objects.ts";
import { limits } from "./limits.ts";
import { instanceNamespaceName, nodePortServiceName } from "./names.ts";
import { namespaceChild } from "./namespace.ts";
import { services } from "./services.ts";
import { blueprintOf, containerOf } from "./testing/blueprints.ts";
import { workloads } from "./workloads.ts";

const files = { "/srv/index.html": { content: "hello\n" } };
const command = ["httpd", "-f", "-p", "8080", "-h", "/srv"];
const rootImage = busyboxImage({ name: "berg.test/root:1", files, command });
const playerImage = busyboxImage({ name: "berg.test/player:1", files, command, user: "1000:1000" });
const architecture: Architecture = process.arch === "arm64" ? "aarch64" : "x86-64";

const hostile = `flag{$(FLAG) $(HOME) $$ $$(X) \${HOME} \`id\` %s%n%% "' \\n \\ \t\n€ 🚩 é}`;

const root = { image: rootImage.name };
const player = { image: playerImage.name };
const executable = { executable: { path: "/usr/bin/{entropy}-get-flag" } };
const content = { content: { path: "/home/player/{entropy}/flag.txt" } };
const web = { port: 8080, name: "web-page" } as const;

const containers: ChallengeContainer[] = [
  containerOf("env", [], { ...player, dynamicFlag: { env: { name: "FLAG" } }, environment: { PRICE: "$(HOME) $$5" } }),
  containerOf("content", [], { ...player, dynamicFlag: content }),
  containerOf("private", [], { ...player, dynamicFlag: { content: { path: "/flag", mode: "0400" } } }),
  containerOf("run-by-root", [], { ...root, dynamicFlag: executable }),
  containerOf("run-by-player", [], { ...player, dynamicFlag: executable }),
  containerOf("all-powerful", [], { ...root, dynamicFlag: executable, additionalCapabilities: ["DAC_OVERRIDE"] }),
  containerOf("web", [web, { port: 8080, type: "publicPort" }], {
    ...player,
    readinessProbe: { httpGet: { path: "/", port: "web-page" }, periodSeconds: 1 },
    resourceLimits: { memory: "48Mi" },
    egressBandwidth: "7M",
  }),
];

const instances: Record<string, { flag: string; storage: BuildSettings["flagStorage"] }> = {
  "a hostile flag": { flag: hostile, storage: "ConfigMap" },
  "the longest flag, in a Secret": { flag: "🚩".repeat(1024), storage: "Secret" },
};

// A Service leads to its pods a moment after they are ready.
const patience = { timeout: 20_000 };

const isReady = ({ status }: Pod) => status?.conditions?.some((one) => one.type === "Ready" && one.status === "True");

describe.skipIf(await missingNode())("an instance on a real node", () => {
  let controlPlane: ControlPlane;
  let node: TestNode;
  let client: Client;
  beforeAll(async () => {
    controlPlane = await startControlPlane();
    node = await startNode({ controlPlane });
    client = createClient({ connection: controlPlane.connection });
    await node.addImage(rootImage);
    await node.addImage(playerImage);
  });
  afterAll(async () => {
    await client?.close();
    await node?.stop();
    await controlPlane?.stop();
  });

  async function startInstance(ownerId: string, flag: string, storage: BuildSettings["flagStorage"]) {
    const small = { cpu: "50m", memory: "16Mi", "ephemeral-storage": "16Mi" };
    const resources = { limits: { ...small, cpu: "1" }, requests: small };
    const { instance, ...rest } = blueprintOf({
      containers,
      settings: { architecture, flagStorage: storage, resources },
    });
    const blueprint: Blueprint = { ...rest, instance: { ...instance, ownerId, flag } };
    const children = [
      ...[namespaceChild(blueprint), ...limits(blueprint), ...services(blueprint), ...flagObjects(blueprint)],
      ...workloads(blueprint, endpointEnv(blueprint)),
    ];
    for (const { type, manifest } of children) await client.create(type, manifest);
    const namespace = instanceNamespaceName(ownerId);
    const ready = async () => (await client.list(Pods, { namespace })).items.filter(isReady).length;
    await vi.waitFor(async () => expect(await ready()).toBe(containers.length), { timeout: 100_000, interval: 200 });
    return blueprint;
  }

  describe.each(Object.entries(instances))("with %s", (title, { flag, storage }) => {
    const namespace = instanceNamespaceName(title.length.toString());
    let blueprint: Blueprint;
    const pods = new Map<string, Pod>();
    beforeAll(async () => {
      blueprint = await startInstance(title.length.toString(), flag, storage);
      for (const pod of (await client.list(Pods, { namespace })).items)
        pods.set(pod.metadata.labels?.[labels.container] ?? "", pod);
    });

    const inside = (container: string, ...command: string[]) =>
      node.exec({ namespace, pod: pods.get(container)?.metadata.name ?? "", container }, command);
    const pathIn = (hostname: string) => {
      const container = containers.find((one) => one.hostname === hostname);
      const plan = container && containerFlag(blueprint, container);
      if (plan === undefined || plan.way === "env") throw new Error(`${hostname} has no file`);
      return plan.file.path;
    };
    const environmentOf = async (container: string) =>
      (await inside(container, "cat", "/proc/1/environ")).split("\0").filter(Boolean);

    test("the variable holds it, byte by byte, and what the author wrote is as it was", async () => {
      expect(await environmentOf("env")).toEqual(expect.arrayContaining([`FLAG=${flag}`, "PRICE=$(HOME) $$5"]));
    });

    test("the file holds it, at a path that cannot be guessed, for everybody to read", async () => {
      const path = pathIn("content");
      expect(path).toMatch(/^\/home\/player\/[0-9a-f]{12}\/flag\.txt$/);
      expect(await inside("content", "cat", path)).toBe(`${flag}\n`);
      expect(await inside("content", "stat", "-c", "%a %F", path)).toBe("444 regular file\n");
      await expect(inside("content", "sh", "-c", `echo mine > ${path}`)).rejects.toThrow("Read-only file system");
    });

    test("a mode of the author's is the file's mode", async () => {
      await expect(inside("private", "cat", "/flag")).rejects.toThrow("Permission denied");
      expect(await inside("private", "stat", "-c", "%a", "/flag")).toBe("400\n");
    });

    test.each(["run-by-root", "run-by-player"])("the program prints it and cannot be read: %s", async (container) => {
      const path = pathIn(container);
      expect(await inside(container, path)).toBe(`${flag}\n`);
      expect(await inside(container, "stat", "-c", "%a", path)).toBe("111\n");
      for (const attempt of [`cat ${path}`, `cp ${path} /tmp/copy`, `dd if=${path} of=/dev/null`])
        await expect(inside(container, "sh", "-c", attempt)).rejects.toThrow("Permission denied");
      await expect(inside(container, "chmod", "755", path)).rejects.toThrow(/Read-only file system|not permitted/);
    });

    test("whom the author allows to read everything can read the program", async () => {
      const path = pathIn("all-powerful");
      expect(await inside("all-powerful", path)).toBe(`${flag}\n`);
      expect(await inside("all-powerful", "sh", "-c", `head -c 4 ${path} | tail -c 3`)).toBe("ELF");
    });

    test("no container that did not ask for it has it", async () => {
      expect((await environmentOf("web")).join("\n")).not.toContain(flag);
      expect(await inside("web", "sh", "-c", "cat /proc/1/mounts")).not.toContain(pathIn("content"));
    });

    test("system calls are filtered, for the program and for whoever breaks in", async () => {
      for (const who of ["1", "self"]) {
        expect(await inside("web", "grep", "Seccomp:", `/proc/${who}/status`)).toBe("Seccomp:\t2\n");
      }
    });
  });

  test("addresses in the environment and at the node lead to what runs there, within its limits", async () => {
    const blueprint = await startInstance("addresses", "flag{web}", "ConfigMap");
    const namespace = instanceNamespaceName("addresses");
    const { items } = await client.list(Pods, { namespace });
    const podOf = (hostname: string) => items.find((pod) => pod.metadata.labels?.[labels.container] === hostname);
    const inside = (hostname: string, script: string) =>
      node.exec({ namespace, pod: podOf(hostname)?.metadata.name ?? "" }, ["sh", "-c", script]);

    expect(endpointEnv(blueprint)).toEqual([{ name: "WEB_PAGE_ENDPOINT", value: "web:8080" }]);
    for (const hostname of ["env", "web"]) {
      const page = () => inside(hostname, 'wget -qO- "http://$WEB_PAGE_ENDPOINT/"').catch(String);
      await expect.poll(page, patience).toBe("hello\n");
      expect(await inside(hostname, 'echo "$CHALLENGE_NAMESPACE $(hostname)"')).toBe(`${namespace} ${hostname}\n`);
    }
    const { spec } = await client.get(Services, namespace, nodePortServiceName("web"));
    const page = async () => (await fetch(`http://${node.address}:${spec?.ports?.[0]?.nodePort}/`)).text();
    await expect.poll(() => page().catch(String), patience).toBe("hello\n");

    const limitFiles = "/sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes";
    expect(Number(await inside("web", `cat ${limitFiles} 2>/dev/null; true`))).toBe(48 * 1024 * 1024);
    expect(await node.run(["tc", "qdisc", "show"])).toMatch(/tbf .* rate 7Mbit/);
    expect(await inside("web", "ls /var/run/secrets 2>&1; true")).toContain("No such file");
  });
});
