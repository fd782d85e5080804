/** However `berg up` ends, the next one finds what it needs to go on, and nothing twice. */
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { isNotFound } from "@berg/apimachinery";
import { type Client, Nodes, type Pod, Pods } from "@berg/kube";
import { ChallengeInstances } from "@berg/resources";
import { expect, test, vi } from "vitest";
import { findBridges, findOurs, nothing } from "./left-overs.ts";
import { onOneMachine } from "./on-one-machine.ts";
import { get, solveNotes } from "./players.ts";

onOneMachine((given) => {
  const soon = { timeout: 40_000, interval: 100 };

  async function killAndStartAgain(): Promise<Client> {
    given.up.child.kill("SIGKILL");
    await given.up.ended;
    given.up = await given.machine.up();
    return given.machine.client();
  }
  const phaseOf = (client: Client, name: string) =>
    client.get(ChallengeInstances, "berg", name).then(
      ({ status }) => status?.phase ?? "Pending",
      (error) => {
        if (isNotFound(error)) return "gone";
        throw error;
      },
    );
  const untilPhase = async (client: Client, name: string, phase: string) =>
    vi.waitFor(async () => expect(await phaseOf(client, name)).toBe(phase), soon);

  /** Of one instance of the notes: what holds its network, and itself. */
  async function expectNothingTwice(): Promise<void> {
    const { containers, networks, tables } = await findOurs(given.machine);
    expect(containers.map((name) => name.split("_").slice(-2, -1)[0])).toEqual(["notes", "pause"]);
    expect({ networks: networks.length, tables: tables.length }).toEqual({ networks: 1, tables: 1 });
  }
  async function expectGone(name: string): Promise<void> {
    await untilPhase(await given.machine.client(), name, "gone");
    await vi.waitFor(
      async () => expect(await findOurs(given.machine)).toMatchObject({ containers: [], networks: [] }),
      soon,
    );
  }

  async function untilIn(client: Client, name: string, when: string | number): Promise<void> {
    if (typeof when === "number") return delay(when);
    // It may have gone on by the time that somebody looks.
    const order = ["Pending", "Creating", "Starting", "Running", "Terminating", "gone"];
    const phases = order.slice(order.indexOf(when));
    await vi.waitFor(async () => expect(phases).toContain(await phaseOf(client, name)), { ...soon, interval: 10 });
  }

  test.each([
    ["at once", 0],
    ["soon after", 300],
    ["later", 1200],
    ["while its objects are made", "Creating"],
    ["while its containers start", "Starting"],
    ["while it runs", "Running"],
  ])("killed %s, it brings a new instance to run, and nothing twice", async (_, when) => {
    const { name, flag } = await given.machine.startInstance("notes", "--no-wait");
    await untilIn(await given.machine.client(), name, when);
    const client = await killAndStartAgain();
    await untilPhase(client, name, "Running");
    await expectNothingTwice();
    const { status } = await client.get(ChallengeInstances, "berg", name);
    const { hostname = "", port = 0 } = status?.services?.[0] ?? {};
    const page = () => get(`http://${hostname}:${port}/?note=../secret/flag`);
    await vi.waitFor(async () => expect((await page()).text).toContain(flag), soon);
    await client.delete(ChallengeInstances, "berg", name);
    await expectGone(name);
  });

  test.each([
    ["at once", 0],
    ["soon after", 200],
    ["while it ends", "Terminating"],
  ])("killed %s, it ends an instance that was deleted", async (_, when) => {
    const { name } = await given.machine.startInstance("notes");
    const client = await given.machine.client();
    await client.delete(ChallengeInstances, "berg", name);
    await untilIn(client, name, when);
    await killAndStartAgain();
    await expectGone(name);
  });

  test("an instance whose time is over when it is started again is ended", async () => {
    const { name } = await given.machine.startInstance("notes", "--timeout", "12s");
    const client = await given.machine.client();
    const { status } = await client.get(ChallengeInstances, "berg", name);
    given.up.child.kill("SIGKILL");
    await given.up.ended;
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(Date.parse(status?.expiresAt ?? "")), soon);
    given.up = await given.machine.up();
    await expectGone(name);
  });

  test("Ctrl-C removes every container and network, and the next start restores them", async () => {
    const { machine, up } = given;
    const instance = await machine.startInstance("notes");
    const vault = await machine.startInstance("vault");
    const bridges = await findBridges(machine);
    expect(bridges).toHaveLength(2);
    up.child.kill("SIGINT");
    expect(await up.ended).toBe(0);
    expect(await findOurs(machine, bridges)).toEqual(nothing);
    given.up = await machine.up();
    await vi.waitFor(async () => expect(await solveNotes(instance)).toBe(instance.flag), soon);
    const { containers } = await findOurs(machine);
    for (const { name } of [instance, vault]) await machine.berg("instance", "stop", name);
    await expectGone(instance.name);
    expect(containers).toHaveLength(6);
  });

  test("Ctrl-C while it starts is no trouble, and leaves nothing", async () => {
    const { machine, up } = given;
    up.child.kill("SIGINT");
    await up.ended;
    for (const step of ["control plane", "node  ", "gateway"]) {
      const starting = await machine.spawnUp();
      await starting.says(step);
      starting.child.kill("SIGINT");
      expect(await starting.ended).toBe(0);
      expect(starting.said()).toMatch(/\n(Stopped|Stopping)\.\n$/);
      expect(await findOurs(machine)).toEqual(nothing);
    }
    given.up = await machine.up();
  });

  test("without its engine pods are not ready and say why; with it they are, and the same containers run", async () => {
    const { machine } = given;
    const instance = await machine.startInstance("notes");
    const client = await machine.client();
    const { containers } = await findOurs(machine);
    const readiness = async () => {
      const [pod] = (await client.list(Pods, { namespace: instance.instanceNamespace })).items;
      const [node] = (await client.list(Nodes)).items;
      const ready = ({ status }: { status?: Pod["status"] }) =>
        status?.conditions?.find(({ type }) => type === "Ready");
      return { pod: pod && ready(pod), node: node && ready(node as { status?: Pod["status"] }) };
    };
    await machine.podman.service.kill();
    await vi.waitFor(async () => {
      const { pod, node } = await readiness();
      expect(pod).toMatchObject({ status: "False", message: expect.stringContaining("container engine") });
      expect(node).toMatchObject({ status: "False", message: expect.stringContaining("container runtime is down") });
    }, soon);
    await machine.podman.service.start();
    await vi.waitFor(async () => {
      const { pod, node } = await readiness();
      expect([pod?.status, node?.status]).toEqual(["True", "True"]);
    }, soon);
    expect((await findOurs(machine)).containers).toEqual(containers);
    expect(await solveNotes(instance)).toBe(instance.flag);
    expect(await machine.berg("instance", "stop", instance.name)).toMatchObject({ exit: 0 });
    await expectGone(instance.name);
  });

  test("a second one on the same data is refused, and the first goes on", async () => {
    const second = await given.machine.up();
    expect(await second.ended).toBe(1);
    expect(second.said()).toMatch(/it is in use by process \d+ .*; stop that one, or use another data directory/);
    expect(given.up.child.exitCode).toBeNull();
  });

  test("a port for pages that is taken is told with the remedy", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };
    const more = ["--data-dir", `${given.machine.directory}/other`, "--port", "0", "--http-port", String(port)];
    const refused = await given.machine.up(...more);
    taken.close();
    expect(await refused.ended).toBe(2);
    expect(refused.said()).toContain(`cannot listen on 127.0.0.1:${port}`);
    expect(refused.said()).toContain("--http-port");
  });
});
