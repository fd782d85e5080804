/**
 * The commands against any control plane, with the real controller and simulated pods. Long: one world serves them all.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { isNotFound } from "@berg/apimachinery";
import { Namespaces } from "@berg/kube";
import { annotations, ChallengeInstances } from "@berg/resources";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { World, WorldOptions } from "../../../../../test/scenarios/world.ts";
import { CommandLine } from "./command-line.ts";

/** A loaded machine takes its time. */
const within = { timeout: 30_000 };

export function describeCommands(startWorld: (options: WorldOptions) => Promise<World>): void {
  let world: World;
  let berg: CommandLine;

  beforeAll(async () => {
    world = await startWorld({ env: { CHALLENGE_DOMAIN: "ctf.example.com", CHALLENGE_MAX_RENEWALS: "1" } });
    await world.startController();
    berg = await CommandLine.for(world.controlPlane.connection);
  }, 60_000);
  afterAll(async () => {
    await world?.stop();
    await berg?.[Symbol.asyncDispose]();
  });

  function web(name = `web-${randomUUID().slice(0, 8)}`) {
    return world
      .challenge(name)
      .container("web")
      .port(80, "publicHttpRoute", { name: "site" })
      .flag({ env: { name: "FLAG" } })
      .with({ flag: "flag{cookies}", timeout: "30m" });
  }

  const nameIn = (stdout: string) => /^(\S+): an instance of/.exec(stdout)?.[1] ?? "";
  const stored = (name: string) => world.client.get(ChallengeInstances, "berg", name);

  /** An instance that is being stopped, and does not go before it is let go. */
  async function held(name: string) {
    const hold = "test.example.com/hold";
    const patch = (operation: object) =>
      world.client.patch(ChallengeInstances, "berg", name, { type: "json", operations: [operation] });
    await patch({ op: "add", path: "/metadata/finalizers/-", value: hold });
    const stopping = berg.stop([name]);
    await vi.waitFor(async () => expect((await stored(name)).metadata.deletionTimestamp).toBeDefined(), within);
    const letGo = async () => {
      const isAlone = async () => expect((await stored(name)).metadata.finalizers).toEqual([hold]);
      await vi.waitFor(isAlone, within);
      await patch({ op: "remove", path: "/metadata/finalizers" });
      return stopping;
    };
    return { stopping, letGo };
  }

  describe("start", { timeout: 60_000 }, () => {
    test("waits with a line for each stage, and prints where to connect, the flag and the time left", async () => {
      const challenge = await web().port(1337, "publicPort", { name: "game" }).behaving("ready after=3s").create();
      const { code, stdout, stderr } = await berg.start(challenge.metadata.name);
      const name = nameIn(stdout);
      const { spec, status, metadata } = await stored(name);
      expect(stdout).toContain(`  flag   ${spec.flag}  (made for this instance; shown only now)`);
      expect(spec.flag).toMatch(/^flag\{cookies_[0-9a-f]{12}\}$/);
      expect(stdout).toContain("in container web: the environment variable FLAG");
      expect(stdout).toContain(`http://${status?.services?.[0]?.hostname}/`);
      expect(stdout).toContain(`nc ctf.example.com ${status?.services?.[1]?.port}`);
      expect(stdout).toMatch(/in (29|30) min, at /);
      expect(stdout).toContain(`  owner  ${spec.ownerId}`);
      expect(status?.instanceId).toBe(metadata.annotations?.[annotations.instanceId]);
      expect(stderr).toContain("Starting. Waiting for web.\n");
      expect(stderr).toMatch(/Running\.\n$/);
      expect(stderr).not.toContain("\u001b");
      expect(code).toBe(0);
    });

    test("--json prints one document, with the flag only where it was made here", async () => {
      const challenge = await web().create();
      const made = JSON.parse((await berg.start(challenge.metadata.name, { json: true })).stdout);
      const url = expect.stringMatching(/^http:\/\/[0-9a-f-]+\.ctf\.example\.com\/$/);
      expect(made).toMatchObject({
        challenge: challenge.metadata.name,
        phase: "Running",
        ending: false,
        flag: (await stored(made.name)).spec.flag,
        flagPlaces: ["container web: the environment variable FLAG"],
        addresses: [{ name: "site", protocol: "TCP", tls: false, url }],
      });
      const given = await berg.start(challenge.metadata.name, { json: true, flag: "flag{given}" });
      expect((await stored(JSON.parse(given.stdout).name)).spec.flag).toBe("flag{given}");
      expect(given.stdout + given.stderr).not.toContain("flag{given}");
    });

    test("a Challenge's flag that leaves no room for more asks for one", async () => {
      const challenge = await web()
        .with({ flag: `flag{${"x".repeat(1010)}}` })
        .create();
      const { code, stdout, stderr } = await berg.start(challenge.metadata.name);
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toBe("error: the flag made from the Challenge's has over 1024 characters. Give one with --flag\n");
    });

    test("without --wait it returns as soon as it is asked for", async () => {
      const challenge = await web().behaving("never-ready").create();
      const { code, stdout, stderr } = await berg.start(challenge.metadata.name, { wait: false });
      expect([code, stderr]).toEqual([0, ""]);
      expect((await stored(nameIn(stdout))).spec.challengeRef).toEqual({
        name: challenge.metadata.name,
        namespace: "berg",
      });
    });

    test("a Challenge without flags of its own for each instance gets none, and says so of one that is given", async () => {
      const challenge = await world.challenge().container("web").with({ flag: "flag{static}" }).create();
      const { stdout } = await berg.start(challenge.metadata.name, { wait: false });
      expect(stdout).toContain("flag   that of the Challenge\n");
      expect((await stored(nameIn(stdout))).spec.flag).toBeUndefined();
      expect(stdout).not.toContain("flag{static}");
      const given = await berg.start(challenge.metadata.name, { wait: false, flag: "flag{mine}" });
      expect(given.stdout).toContain("no container gets the one that you gave");
    });

    test("a failure is told in plain words, with code 1", async () => {
      const challenge = await world
        .challenge()
        .container("web", { runtimeClassName: "" })
        .with({ containers: [] })
        .create();
      const { code, stdout, stderr } = await berg.start(challenge.metadata.name);
      expect(stderr).toContain("there is no container to start");
      expect(stdout).toContain("(ChallengeInvalid)");
      expect(stdout).toContain(`berg instance stop ${nameIn(stdout)}`);
      expect(code).toBe(1);
      const failed = JSON.parse((await berg.start(challenge.metadata.name, { json: true })).stdout);
      expect(failed).toMatchObject({ phase: "Failed", reason: "ChallengeInvalid" });
    });

    test("Ctrl-C leaves the instance, says how to stop it, and the flag has been told", async () => {
      const challenge = await web().behaving("crash-loop exitCode=3").create();
      const starting = berg.start(challenge.metadata.name);
      await vi.waitFor(() => expect(starting.stderr).toContain("it ends by itself (exit code 3)"), within);
      starting.interrupt();
      const { code, stdout, stderr } = await starting;
      const name = nameIn(stdout);
      expect(stderr).toContain(`The instance goes on without us. To end it: berg instance stop ${name}\n`);
      expect(stdout).toContain((await stored(name)).spec.flag);
      expect(stdout).toContain("(ContainerCrashes)");
      expect(code).toBe(1);
    });

    test("an instance that is stopped while it starts ends the wait", async () => {
      const challenge = await web().behaving("never-ready").create();
      const starting = berg.start(challenge.metadata.name);
      await vi.waitFor(() => expect(starting.stderr).toContain("Starting."), within);
      expect((await berg.stop([nameIn(starting.stdout)])).code).toBe(0);
      expect((await starting).code).toBe(1);
    });

    test("an owner has one at a time, whatever the other is called", async () => {
      const challenge = await web().create();
      const owner = randomUUID();
      const { name } = challenge.metadata;
      expect((await berg.start(name, { owner })).code).toBe(0);
      const second = await berg.start(name, { owner });
      expect(second).toMatchObject({ code: 1, stdout: "" });
      expect(second.stderr).toContain(
        `the owner ${owner} has an instance, owner-${owner} (of the Challenge ${name}, Running)`,
      );
      expect(second.stderr).toContain(`berg instance stop owner-${owner}`);
      const instance = await world
        .instance(challenge)
        .metadata({ name: `named-${owner}` })
        .create();
      const other = await berg.start(name, { owner: instance.spec.ownerId });
      expect(other).toMatchObject({ code: 1, stdout: "" });
      expect(other.stderr).toContain(`has an instance, named-${owner} (of the Challenge ${name}, `);
      const ending = await held(`owner-${owner}`);
      expect((await berg.start(name, { owner })).stderr).toContain("It is ending: try again when it is gone.");
      await ending.letGo();
    });

    test.each([
      { options: { owner: "ada" }, want: '--owner: Invalid value: "ada": must be a UUID' },
      { options: { timeout: "soon" }, want: '--timeout: Invalid value: "soon": must be hours, minutes' },
      { options: { flag: "" }, want: "--flag: it is empty. Give one, or leave the option out" },
      { options: { flag: "x".repeat(1025) }, want: "--flag: Too long: may not be more than 1024 characters" },
      { options: { namespace: "a/b" }, want: '--namespace: "a/b" is not a DNS label' },
    ])("refuses $options in the words of the command line, with code 2", async ({ options, want }) => {
      const { code, stdout, stderr } = await berg.start("web", options);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toContain(want);
      expect(stderr).not.toContain("xxx");
    });

    test("a Challenge that is not there: what may have been meant, or where it is", async () => {
      await web("cookie-jar").create();
      expect((await berg.start("cooky-jar")).stderr).toContain(
        "no Challenge cooky-jar in the namespace berg. Did you mean cookie-jar?",
      );
      const elsewhere = await berg.start("cookie-jar", { namespace: "default" });
      expect(elsewhere.stderr).toContain("There is one in berg: add -n berg");
      expect(elsewhere.code).toBe(1);
      expect((await berg.start("Cookie Jar")).stderr).toContain("<challenge>: Invalid value");
    });
  });

  describe("list", { timeout: 60_000 }, () => {
    test("prints a table, a wide one, that of all namespaces, and JSON", async () => {
      const challenge = await web().create();
      const name = nameIn((await berg.start(challenge.metadata.name)).stdout);
      const line = (stdout: string) => stdout.split("\n").find((text) => text.includes(name));
      expect(line((await berg.list()).stdout)).toMatch(/^web-\S+ +web-\S+ +Running +(29|30) min +http:\/\/\S+\/$/);
      const { status, spec } = await stored(name);
      expect(line((await berg.list({ output: "wide" })).stdout)).toContain(`${spec.ownerId}   ${status?.namespace}`);
      expect((await berg.list({ allNamespaces: true })).stdout).toMatch(/^NAMESPACE +NAME/);
      const { instances } = JSON.parse((await berg.list({ json: true })).stdout);
      expect(instances.find((one: { name: string }) => one.name === name)).toMatchObject({ phase: "Running" });
      expect(JSON.stringify(instances)).not.toContain("flag{");
      expect(await berg.list({ namespace: "default" })).toEqual({
        code: 0,
        stdout: "",
        stderr: "There are no instances in the namespace default.\n",
      });
      expect((await berg.list({ namespace: "default", json: true })).stdout).toBe('{\n  "instances": []\n}\n');
    });

    test("--watch goes on with each change until Ctrl-C", async () => {
      const namespace = `watched-${randomUUID().slice(0, 8)}`;
      await world.client.create(Namespaces, { metadata: { name: namespace } });
      const [people, programs] = [{}, { json: true }].map((more) => berg.list({ namespace, watch: true, ...more }));
      const challenge = await web().create();
      await world.instance(challenge).metadata({ namespace, name: "bob" }).create();
      for (const watching of [people, programs]) {
        await vi.waitFor(() => expect(watching?.stdout).toContain("bob"), within);
      }
      const instance = await world.instance(challenge).metadata({ namespace, name: "ada" }).create();
      await world.until(instance, ({ status }) => status?.phase === "Running");
      await berg.stop(["ada"], { namespace });
      const lines = () =>
        (programs?.stdout ?? "")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line));
      const gone = { change: "deleted", instance: expect.objectContaining({ name: "ada" }) };
      await vi.waitFor(() => expect(lines()).toContainEqual(gone), within);
      await vi.waitFor(() => expect(people?.stdout).toContain("Terminated"), within);
      people?.interrupt();
      programs?.interrupt();
      expect((await people)?.code).toBe(0);
      expect((await programs)?.code).toBe(0);
      expect(people?.stdout).toMatch(/^NAME .*\nbob .*\n/);
      const told = lines().flatMap(({ instance }) => (instance.name === "ada" ? [instance.phase] : []));
      expect([...new Set(told)]).toEqual(expect.arrayContaining(["Pending", "Starting", "Running", "Terminating"]));
      const views = lines().flatMap(({ change, instance }) => (change === "deleted" ? [] : [JSON.stringify(instance)]));
      expect(new Set(views).size).toBe(views.length);
    });
  });

  describe("show", { timeout: 60_000 }, () => {
    test("tells conditions, the changes of its end and its events, and never the flag", async () => {
      const challenge = await web().create();
      const name = nameIn((await berg.start(challenge.metadata.name)).stdout);
      const isTold = async () => expect((await berg.show(name)).stdout).toContain("InstanceReady: Instance ready");
      await vi.waitFor(isTold, within);
      const { code, stdout, stderr } = await berg.show(name);
      expect(stdout).toMatch(/ {2}pods ready +yes {2}All containers are ready\.\n/);
      expect(stdout).toMatch(/Its time\n {2}\d+ s ago {2}The instance ends at /);
      expect([code, stderr]).toEqual([0, ""]);
      const json = JSON.parse((await berg.show(name, { json: true })).stdout);
      expect(json.conditions).toContainEqual(
        expect.objectContaining({ type: "Healthy", status: "True", reason: "Ready" }),
      );
      expect(json.events.map(({ reason }: { reason: string }) => reason)).toEqual([
        "InstanceCreating",
        "InstanceReady",
      ]);
      expect(json.history).toMatchObject([{ reason: "Started" }]);
      expect(stdout + JSON.stringify(json)).not.toContain("flag{");
    });

    test("a name that nobody has, or that is none", async () => {
      expect(await berg.show("nobody", { namespace: "berg" })).toEqual({
        code: 1,
        stdout: "",
        stderr:
          "error: there is no instance nobody in the namespace berg. See what is there: berg instance list -A -n berg\n",
      });
      expect((await berg.show("a/../b")).code).toBe(2);
    });
  });

  describe("renew", { timeout: 60_000 }, () => {
    test("tells the new end, or why there is none", async () => {
      const challenge = await web().create();
      const name = nameIn((await berg.start(challenge.metadata.name)).stdout);
      const before = (await stored(name)).status?.expiresAt ?? "";
      await delay(1100);
      const { code, stdout } = await berg.renew(name);
      const after = (await stored(name)).status?.expiresAt ?? "";
      expect(code).toBe(0);
      expect(stdout).toContain(`at ${after}`);
      expect(Date.parse(after)).toBeGreaterThan(Date.parse(before));

      const refused = await berg.renew(name, { json: true });
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain("error: Not renewed: all 1 renewals are used up");
      expect(JSON.parse(refused.stdout)).toMatchObject({
        expiresAt: after,
        renewals: 2,
        renewal: { renewed: false, message: expect.stringContaining("used up") },
      });
      expect((await stored(name)).spec.renewals).toBe(2);
    });

    test("what is ending is not asked for", async () => {
      const challenge = await web().create();
      const name = nameIn((await berg.start(challenge.metadata.name)).stdout);
      const ending = await held(name);
      expect(await berg.renew(name)).toMatchObject({
        code: 1,
        stderr: `error: ${name} is ending, and cannot be renewed\n`,
      });
      await vi.waitFor(() => expect(ending.stopping.stderr).toContain("held by test.example.com/hold."), within);
      expect((await ending.letGo()).code).toBe(0);
    });
  });

  describe("extend", { timeout: 60_000 }, () => {
    const hour = 3_600_000;
    const endOf = async (name: string, namespace = "berg") =>
      Date.parse((await world.client.get(ChallengeInstances, namespace, name)).status?.expiresAt ?? "");

    test("moves the end of those that are named, each time by as much", async () => {
      const challenge = await web().create();
      const name = nameIn((await berg.start(challenge.metadata.name)).stdout);
      const before = await endOf(name);
      const { code, stdout } = await berg.extend([name], { by: "1h" });
      expect(code).toBe(0);
      expect(stdout).toMatch(new RegExp(`^${name}: ends in 1 h (29|30) min, at `));
      expect(await endOf(name)).toBe(before + hour);
      expect((await stored(name)).status?.history?.map(({ reason }) => reason)).toEqual(["Started", "TimeoutChanged"]);
      expect((await berg.extend([name], { by: "90s" })).code).toBe(0);
      expect(await endOf(name)).toBe(before + hour + 90_000);
      const { status } = await stored(name);
      expect(status?.phase).toBe("Running");
    });

    test("--all needs --yes, goes on where one cannot be extended, and says which ones are skipped or limited", async () => {
      const namespace = `many-${randomUUID().slice(0, 8)}`;
      await world.client.create(Namespaces, { metadata: { name: namespace } });
      const challenge = await web().create();
      const until = new Date(Date.now() + hour).toISOString().replace(/\.\d+/, "");
      const instance = (name: string) => world.instance(challenge).metadata({ namespace, name });
      const [ada, limited] = [await instance("ada").create(), await instance("limited").with({ until }).create()];
      for (const each of [ada, limited]) await world.until(each, ({ status }) => status?.phase === "Running");
      const ends = { ada: await endOf("ada", namespace), limited: await endOf("limited", namespace) };
      const asked = await berg.extend([], { namespace, all: true, by: "2h" });
      expect(asked).toMatchObject({ code: 2, stdout: "" });
      expect(asked.stderr).toContain(
        `this would extend 2 instances in the namespace ${namespace}:\n  ada\n  limited\n`,
      );
      expect(await endOf("ada", namespace)).toBe(ends.ada);

      const { code, stdout, stderr } = await berg.extend([], { namespace, all: true, yes: true, by: "2h" });
      expect([code, stderr.includes("error")]).toEqual([0, false]);
      expect(await endOf("ada", namespace)).toBe(ends.ada + 2 * hour);
      expect(await endOf("limited", namespace)).toBe(Date.parse(until));
      const lines = stdout.trimEnd().split("\n").toSorted();
      expect(lines[0]).toMatch(/^ada: ends in 2 h (29|30) min, at \S+$/);
      expect(lines[1]).toMatch(/^limited: ends in \S+ min( \d+ s)?, at \S+ \(until allows no more\)$/);
    });

    test("an instance that is ending is skipped", async () => {
      const challenge = await web().create();
      const name = nameIn((await berg.start(challenge.metadata.name)).stdout);
      const { stopping, letGo } = await held(name);
      const ending = await berg.extend([name], { by: "30m" });
      expect(ending).toMatchObject({ code: 0, stdout: `${name}: not extended: it is ending\n` });
      await letGo();
      await stopping;
    });

    test.each([
      [{}, "--by is required: write a time such as 30m or 1h30m"],
      [{ by: "soon" }, '--by "soon" is not a time to add: write a time such as 30m or 1h30m'],
      [{ by: "0s" }, '--by "0s" is not a time to add'],
      [{ by: "-1h" }, '--by "-1h" is not a time to add'],
    ])("%j is refused with code 2", async (options, text) => {
      const { code, stderr } = await berg.extend(["ada"], options);
      expect([code, stderr]).toEqual([2, expect.stringContaining(text)]);
    });

    test("an absurd time is refused by the controller, and the end stays", async () => {
      const challenge = await web().create();
      const name = nameIn((await berg.start(challenge.metadata.name)).stdout);
      const before = await endOf(name);
      const { code, stderr } = await berg.extend([name], { by: "99999h" });
      expect(code).toBe(1);
      expect(stderr).toContain(`error: ${name}: The timeout was not changed: cannot use spec.timeout`);
      expect(await endOf(name)).toBe(before);
    });
  });

  describe("stop", { timeout: 60_000 }, () => {
    test("waits until everything is gone, and shows what happens", async () => {
      const challenge = await web().create();
      const name = nameIn((await berg.start(challenge.metadata.name)).stdout);
      const { status } = await stored(name);
      const { code, stdout, stderr } = await berg.stop([name]);
      expect([code, stdout]).toEqual([0, `${name} is gone.\n`]);
      expect(stderr).toContain("This instance ends because its owner asked for it.\n");
      await expect(stored(name)).rejects.toSatisfy(isNotFound);
      await expect(world.client.get(Namespaces, "", status?.namespace ?? "")).rejects.toSatisfy(isNotFound);
    });

    test("one misspelt name stops none", async () => {
      const challenge = await web().create();
      const name = nameIn((await berg.start(challenge.metadata.name)).stdout);
      const { code, stderr } = await berg.stop([name, "nobody"]);
      expect(code).toBe(1);
      expect(stderr).toContain("there is no instance nobody");
      expect((await stored(name)).metadata.deletionTimestamp).toBeUndefined();
    });

    test("--all needs --yes, and stops those of the namespace", async () => {
      const namespace = `many-${randomUUID().slice(0, 8)}`;
      await world.client.create(Namespaces, { metadata: { name: namespace } });
      const challenge = await web().create();
      for (const name of ["ada", "bob"]) await world.instance(challenge).metadata({ namespace, name }).create();
      const asked = await berg.stop([], { namespace, all: true });
      expect(asked).toMatchObject({ code: 2, stdout: "" });
      expect(asked.stderr).toContain(`this would stop 2 instances in the namespace ${namespace}:\n  ada\n  bob\n`);
      const { code, stdout } = await berg.stop([], { namespace, all: true, yes: true, json: true });
      expect(code).toBe(0);
      expect(JSON.parse(stdout).stopped.map(({ name }: { name: string }) => name)).toEqual(["ada", "bob"]);
      const none = await berg.stop([], { namespace, all: true, yes: true });
      expect(none).toEqual({ code: 0, stdout: "", stderr: `There are no instances in the namespace ${namespace}.\n` });
      expect((await berg.stop([])).code).toBe(2);
      expect((await berg.stop(["ada"], { all: true, yes: true })).code).toBe(2);
    });
  });
}
