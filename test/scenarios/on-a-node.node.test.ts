/** Whole lives of instances on a real node, looked at from inside their containers, from outside, and from beside. */
import { join } from "node:path";
import type { Stored } from "@berg/apimachinery";
import { type ChallengeInstance, ChallengeInstances, labels } from "@berg/resources";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask } from "../control-plane/request.ts";
import { podPidsLimit } from "../node/kubelet.ts";
import { missingNode } from "../node/missing.ts";
import { eventually } from "../runtime/eventually.ts";
import { type NodeWorld, startNodeWorld } from "./on-a-node/node-world.ts";
import { conditionOf, eventsOf, isIn, isRunning, namespaceOf } from "./seeing.ts";
import type { World } from "./world.ts";

type Instance = Stored<ChallengeInstance>;

const nastyFlag = `flag{$(FLAG) $(HOME) $$ \${HOME} \`id\` %s%n%% "' \\n \\ \t\n€ 🚩 é}`;
const plainFlag = "flag{plain-canary-of-the-node}";
const registryPort = 5000;

// A Service leads to its pods a moment after they are ready, and this machine may be busy.
const patience = { timeout: 20_000 };
const within = 90_000;

describe.skipIf(await missingNode())("an instance on a real node, made by the controller as it is shipped", () => {
  let scene: NodeWorld;
  let world: World;
  beforeAll(async () => {
    scene = await startNodeWorld();
    ({ world } = scene);
    const registry = join(import.meta.dirname, "on-a-node/registry.ts");
    // It ends with the node, by whatever ends that.
    scene.node.run([process.execPath, registry, `${registryPort}`]).catch(() => {});
    for (const name of ["flags", "addresses", "frail", "greedy"])
      await scene.apply(`test/scenarios/on-a-node/${name}.yaml`);
    await scene.apply("docs/examples/web-and-database.yaml", { "registry.example.com": "berg.test" });
  });
  afterAll(() => world?.stop());

  const running = async (challenge: string, flag = plainFlag) =>
    world.until(await scene.start(challenge, flag), isRunning, { within });

  // Alone, as it measures.
  test("the example with a web site and its database runs, and the one finds the other", async () => {
    const asked = performance.now();
    const created = await scene.start("guestbook", plainFlag);
    const applied = performance.now();
    const instance = await world.until(created, isRunning, { within });
    const ready = performance.now();
    process.stdout.write(
      `from kubectl apply to Running, with two containers: ${(ready - asked).toFixed(0)} ms, ` +
        `of which kubectl took ${(applied - asked).toFixed(0)} ms\n`,
    );
    expect(conditionOf(instance, "RoutesCreated")).toMatchObject({ status: "True" });
    const [site] = instance.status?.services ?? [];
    expect(await scene.inside(instance, "web", 'echo "$SITE_ENDPOINT"')).toBe(`${site?.hostname}:${site?.port}\n`);
    const guests = () => scene.inside(instance, "web", 'wget -qO- "http://$DATABASE_ENDPOINT/"').catch(String);
    await expect.poll(guests, patience).toBe("all guests\n");
    expect(await scene.inside(instance, "database", "cat /docker-entrypoint-initdb.d/*.txt")).toBe(`${plainFlag}\n`);
  });

  describe.concurrent("inside", () => {
    test("the flag arrives in every way, whatever it is made of", async () => {
      const instance = await running("flags", nastyFlag);
      const inside = (container: string, script: string) => scene.inside(instance, container, script);

      const variables = await inside("variable", "cat /proc/1/environ");
      expect(variables.split("\0")).toContain(`FLAG=${nastyFlag}`);

      const file = (await inside("file", "ls /home/player/*/flag.txt")).trim();
      expect(file).toMatch(/^\/home\/player\/[0-9a-f]{12}\/flag\.txt$/);
      expect(await inside("file", `id -u; stat -c %a ${file}; cat ${file}`)).toBe(`1000\n444\n${nastyFlag}\n`);

      const users = { "program-of-root": 0, "program-of-player": 1000 };
      for (const [container, user] of Object.entries(users)) {
        const program = (await inside(container, "ls /usr/bin/*-get-flag")).trim();
        expect(program).toMatch(/^\/usr\/bin\/[0-9a-f]{12}-get-flag$/);
        expect(await inside(container, `id -u; stat -c %a ${program}`)).toBe(`${user}\n111\n`);
        expect(await inside(container, program)).toBe(`${nastyFlag}\n`);
        await expect(inside(container, `cat ${program}`)).rejects.toThrow("Permission denied");
      }
    });

    test("every endpoint leads, from every container, to what is there; and a public port to players", async ({
      expect,
    }) => {
      const instance = await running("addresses");
      const hosts = ["front", "back", "store"];
      const endpoints = { WEB_PAGE: "front", API: "back", STORE: "store" };
      for (const host of hosts) {
        const inside = (script: string) => scene.inside(instance, host, script).catch(String);
        expect(await inside('hostname; echo "$CHALLENGE_NAMESPACE"')).toBe(`${host}\n${namespaceOf(instance)}\n`);
        for (const [name, target] of Object.entries(endpoints)) {
          await expect.poll(() => inside(`wget -qO- "http://$${name}_ENDPOINT/"`), patience).toBe(`${target}\n`);
        }
      }
      const [service, ...others] = instance.status?.services ?? [];
      expect(others).toEqual([]);
      expect(service).toMatchObject({ name: "web-page", protocol: "TCP", tls: false });
      const { address: host } = scene.node;
      await expect
        .poll(() => ask({ host, port: service?.port }).catch(String), patience)
        .toEqual({ status: 200, body: "front\n" });

      // Either of them is there, by the version of cgroups.
      const read = (...files: string[]) =>
        scene.inside(instance, "front", `cat ${files.join(" ")} 2>/dev/null || true`);
      const cgroup = "/sys/fs/cgroup";
      expect(await read(`${cgroup}/memory.max`, `${cgroup}/memory/memory.limit_in_bytes`)).toBe(
        `${48 * 1024 * 1024}\n`,
      );
      expect(await read(`${cgroup}/cpu.max`, `${cgroup}/cpu/cpu.cfs_quota_us`)).toMatch(/^20000( 100000)?\n$/);
      const queues = await scene.node.run(["tc", "qdisc", "show"]);
      for (const rate of ["7Mbit", "9Mbit"]) expect(queues).toMatch(new RegExp(`tbf .* rate ${rate}`));
      expect(await read("/proc/1/status")).toContain("Seccomp:\t2\n");
      expect(await scene.inside(instance, "front", "ls /var/run/secrets 2>&1 || true")).toContain("No such file");
    });
  });

  describe.concurrent("in trouble", () => {
    const healthOf = (instance: Instance) => conditionOf(instance, "Healthy");
    const isHealthy = (status: string) => (instance: Instance) => healthOf(instance)?.status === status;

    const ends = {
      end: ["ContainerCrashes", "Container frail: it ends by itself (exit code 42)"],
      eat: ["OutOfMemory", "Container frail: it was stopped because it used more memory than it may"],
    };
    test.each(Object.entries(ends))(
      "a container that is told to %s says so, and comes back",
      async (order, [reason, message]) => {
        const instance = await running("frail");
        // It may be gone before the command has ended.
        await scene.inside(instance, "frail", `touch /tmp/${order}`).catch(() => {});
        const sick = await world.until(instance, isHealthy("False"), { within });
        expect(healthOf(sick)).toMatchObject({ reason, message });
        expect(sick.status).toMatchObject({ phase: "Running", reason, message });
        await world.until(instance, isHealthy("True"), { within });
        const told = await eventsOf(world, instance, "InstanceHealthy");
        expect(told.filter(({ type }) => type === "Warning")).toEqual([
          { type: "Warning", reason: "InstanceUnhealthy", message },
        ]);
      },
    );

    // What containerd says about each of them comes down to one stable text.
    const registry = `localhost:${registryPort}`;
    const unpullable = {
      missing: [`${registry}/missing:1`, ": it does not exist"],
      basic: [`${registry}/basic:1`, ": the registry asks for other credentials"],
      hub: [`${registry}/hub/authentication:1`, ": it does not exist, or the registry asks for other credentials"],
      busy: [`${registry}/busy/denied:1`, ": the registry is asked too often"],
      foreign: [`${registry}/foreign:1`, ": it is not made for the processors of the nodes"],
      ill: [`${registry}/ill/forbidden:1`, ""],
      silent: ["localhost:1/unauthorized:1", ": the registry is not reached"],
    };
    test.each(Object.entries(unpullable))(
      "an image that cannot be pulled is named, with the reason: %s",
      async (name, [image = "", why]) => {
        await scene.apply("test/scenarios/on-a-node/broken.yaml", { NAME: name, IMAGE: image });
        const reason = "ImageCannotBePulled";
        const instance = await world.until(await scene.start(name, plainFlag), isIn("Starting", reason), { within });
        const message = `Container web: the image ${image} cannot be pulled${why}`;
        expect(conditionOf(instance, "PodsReady")).toMatchObject({ status: "False", reason, message });
      },
    );

    test("a program that is not there cannot be started, and nothing else is said", async () => {
      await scene.apply("test/scenarios/on-a-node/broken.yaml", {
        NAME: "empty",
        IMAGE: "berg.test/without-program:1",
      });
      const instance = await scene.start("empty", plainFlag);
      await world.until(instance, isIn("Starting", "ContainerCannotStart"), { within });
      const restarts = () => scene.pods(instance)[0]?.status?.containerStatuses?.[0]?.restartCount ?? 0;
      await eventually("it was tried again", () => restarts() > 1);
      const messages = new Set(changesOf(world, instance).map(({ status }) => status?.message));
      messages.delete(undefined);
      expect([...messages]).toEqual(["Container web: it cannot be started (RunContainerError)"]);
    });
  });

  test("what takes all that it can get hurts nobody but itself", async () => {
    const [neighbour, greedy] = await Promise.all([running("frail"), scene.start("greedy", plainFlag)]);
    await eventually("the fork bomb is at its limit", async () => (await scene.processes(greedy)) > podPidsLimit / 2);
    const isEvicted = () => scene.pods(greedy).some(({ status }) => status?.reason === "Evicted");
    await eventually("the disk filler is evicted", isEvicted);
    const message = "Container greedy: it was stopped because it used more disk space than it may";
    await world.until(greedy, () => changesOf(world, greedy).some(({ status }) => status?.message === message));
    await world.client.delete(ChallengeInstances, world.namespace, greedy.metadata.name);
    await world.untilGone(greedy, { within });
    const ever = changesOf(world, neighbour).filter(({ status }) => status?.readyAt !== undefined);
    expect(
      new Set(ever.map((instance) => `${instance.status?.phase} ${conditionOf(instance, "Healthy")?.status}`)),
    ).toEqual(new Set(["Running True"]));
    expect(scene.pods(neighbour).map(({ status }) => status?.containerStatuses?.[0]?.restartCount)).toEqual([0]);
  });

  test("at the end no container outlives its network policy, and nothing is left", async () => {
    const instance = await running("addresses");
    const containers = scene
      .pods(instance)
      .flatMap(({ status }) =>
        (status?.containerStatuses ?? []).map(({ containerID = "" }) => containerID.replace("containerd://", "")),
      );
    const leftOnNode = async () => {
      const all = await scene.runningContainers();
      return containers.filter((id) => all.has(id));
    };
    expect((await leftOnNode()).length).toBe(3);

    await world.client.delete(ChallengeInstances, world.namespace, instance.metadata.name);
    await eventually("no container runs", async () => (await leftOnNode()).length === 0);
    const stoppedAt = performance.now();
    const last = await world.untilGone(instance, { within });
    expect(last.status).toMatchObject({ phase: "Terminated", terminationReason: "UserRequest" });
    const gone = world.followed.changes.filter(
      ({ type, object }) =>
        type === "deleted" && object.metadata.labels?.[labels.instanceUid] === instance.metadata.uid,
    );
    const goneAt = (resource: string) => gone.filter((change) => change.resource === resource).map(({ at }) => at);
    expect(goneAt("networkpolicies")).toEqual([expect.toSatisfy((at: number) => at > stoppedAt)]);
    expect(goneAt("namespaces")).toEqual([expect.toSatisfy((at: number) => at > stoppedAt)]);
  });

  test("after all of them nothing was broken that must never be", () => world.check());
});

/** Every version of the instance so far. */
function changesOf(world: World, { metadata }: Instance): Instance[] {
  const own = world.followed.changes.filter(({ object }) => object.metadata.uid === metadata.uid);
  return own.map(({ object }) => object as Instance);
}
