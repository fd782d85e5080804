import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isNotFound } from "@berg/apimachinery";
import { ConfigMaps, createClient, Leases, loadConnection, Nodes, systemClock } from "@berg/kube";
import { ChallengeInstances, Challenges } from "@berg/resources";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { firstOf } from "./run-up.ts";

const main = join(import.meta.dirname, "../main.ts");

let directory: string;
const children: ChildProcess[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "berg-up-"));
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await rm(directory, { recursive: true, force: true });
});

/** Resolves with what it says once it is up, or with all it said when it ended. */
async function start(args: string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [main, "up", "--data-dir", directory, ...args], {
    env: { ...process.env, ...env },
  });
  children.push(child);
  let said = "";
  child.stdout.on("data", (text) => (said += text));
  child.stderr.on("data", (text) => (said += text));
  const ended = once(child, "exit");
  await Promise.race([ended, vi.waitFor(() => expect(said).toContain("Ctrl-C stops it"), { timeout: 60_000 })]);
  return { child, ended, said: () => said };
}

async function connect() {
  const { signal } = new AbortController();
  const kubeconfig = join(directory, "kubeconfig");
  return createClient({ connection: await loadConnection({ kubeconfig, clock: systemClock, signal }) });
}

describe("berg up without an engine", { timeout: 180_000 }, () => {
  const ports = ["--port", "0", "--http-port", "0", "--tls-port", "0", "--web-port", "0"];
  const up = (...args: string[]) => start(["--runtime", "simulated", ...ports, ...args]);

  function newInstance(timeout: string) {
    const spec = {
      ownerId: randomUUID(),
      challengeRef: { name: "notes" },
      flag: "flag{up}",
      renewals: 0,
      restarts: 0,
      timeout,
    };
    return { metadata: { namespace: "berg", name: `notes-${timeout}` }, spec };
  }

  test("says that pods are simulated, and what to try; an instance runs, and is there after Ctrl-C", async () => {
    const first = await up();
    expect(first.said()).toContain("1, simulated (as asked for): pods become Ready, and no container runs");
    expect(first.said()).toContain("npm run -s berg -- instance start notes");
    const client = await connect();
    const phaseOf = async (name: string) => (await client.get(ChallengeInstances, "berg", name)).status?.phase;
    for (const timeout of ["1h", "4s"]) await client.create(ChallengeInstances, newInstance(timeout));
    await vi.waitFor(async () => expect(await phaseOf("notes-1h")).toBe("Running"), { timeout: 60_000 });
    await client.close();
    first.child.kill("SIGINT");
    expect(await first.ended).toEqual([0, null]);

    await delay(4_000);
    await up();
    const again = await connect();
    const isGone = () =>
      again.get(ChallengeInstances, "berg", "notes-4s").then(
        () => false,
        (error) => isNotFound(error),
      );
    await vi.waitFor(async () => expect(await isGone()).toBe(true), { timeout: 60_000 });
    expect((await again.get(ChallengeInstances, "berg", "notes-1h")).status?.phase).toBe("Running");
    await again.close();
  });

  test("leads by the leases of the separate commands, and again after a suspend and after kill -9", async () => {
    const names = ["berg-controller", "berg-listener"];
    /** Waits until it holds both, in terms that began after the given ones. */
    const held = async (client: Awaited<ReturnType<typeof connect>>, before: unknown[] = []) => {
      let terms: unknown[] = [];
      await vi.waitFor(
        async () => {
          const leases = await Promise.all(names.map((name) => client.get(Leases, "default", name)));
          expect(leases.map(({ spec }) => spec?.holderIdentity)).toEqual(["berg-up", "berg-up"]);
          terms = leases.map(({ spec }) => spec?.acquireTime);
          for (const [i, term] of terms.entries()) expect(term).not.toBe(before[i]);
        },
        { timeout: 60_000 },
      );
      return terms;
    };
    const first = await up("--no-samples");
    const client = await connect();
    const terms = await held(client);
    expect((await client.get(Leases, "default", "berg-tunnel")).spec?.holderIdentity).toBeUndefined();

    const beside = spawn(process.execPath, [main, "controller", "--kubeconfig", join(directory, "kubeconfig")], {
      env: { HOME: "/nowhere", HEALTH_PORT: "0", METRICS_PORT: "0" },
    });
    children.push(beside);
    let said = "";
    beside.stdout.on("data", (text) => (said += text));
    await vi.waitFor(() => expect(said).toMatch(/"holder":"berg-up".*"waiting for the lease"/), { timeout: 60_000 });
    beside.kill("SIGTERM");
    expect(await once(beside, "exit")).toEqual([0, null]);
    expect(said).not.toContain('"msg":"leading"');

    first.child.kill("SIGSTOP");
    await delay(16_000);
    first.child.kill("SIGCONT");
    const resumed = await held(client, terms);
    expect(first.said()).toContain("the lease was lost; running for it again");
    await client.close();
    first.child.kill("SIGKILL");
    await first.ended;

    await up("--no-samples");
    const again = await connect();
    await held(again, resumed);
    await again.close();
  });

  test("brings no samples where none are wanted", async () => {
    await up("--no-samples");
    const client = await connect();
    expect((await client.list(Challenges)).items).toEqual([]);
    await client.close();
  });

  test("a closed terminal, and a reader that has enough, end it in order", async () => {
    const { child, ended } = await up("--no-samples");
    child.stdout?.destroy();
    child.stderr?.destroy();
    child.kill("SIGHUP");
    expect(await ended).toEqual([0, null]);
  });

  test.each([
    {
      env: {},
      args: ["--domain", "no spaces"],
      want: 'error: cannot use --domain: "no spaces" is not a domain: use parts of',
    },
    {
      env: { CHALLENGE_DOMAIN: "a..b" },
      args: [],
      want: 'error: cannot read CHALLENGE_DOMAIN: "a..b" is not a domain',
    },
    {
      env: {},
      args: ["--allow-capabilities", "CAP_BPF"],
      want: 'error: cannot use --allow-capabilities: "CAP_BPF" has the prefix CAP_; write BPF',
    },
    {
      env: { DOCKER_HOST: "unix:///no/such.sock" },
      args: ["--runtime", "docker"],
      want: "error: cannot run containers: DOCKER_HOST is set, and no container engine answers at /no/such.sock",
    },
    {
      env: { CONTAINER_HOST: "unix:///no/such.sock" },
      args: ["--runtime", "podman"],
      want: "(ENOENT). Install and start it, or leave out --runtime podman",
    },
  ])("says what is wrong with $args $env", async ({ env, args, want }) => {
    const { ended, said } = await start(["--runtime", "simulated", ...ports, ...args], env);
    expect(said()).toContain(want);
    expect((await ended)[0]).toBe(2);
  });

  test("a port of the gateway that is taken is told with the remedy", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    const { ended, said } = await up("--http-port", String(port));
    expect((await ended)[0]).toBe(2);
    expect(said()).toContain(`cannot listen on 127.0.0.1:${port} for challenges: another process does`);
    expect(said()).toContain("choose another with --http-port");
    taken.close();
  });
});

describe("berg up --only control-plane", { timeout: 150_000 }, () => {
  const up = (...args: string[]) => start(["--only", "control-plane", ...args]);

  test("finds everything again after Ctrl-C, and ends within its time", async () => {
    const first = await up("--port", "0");
    expect(first.said()).toContain(`export KUBECONFIG=${directory}/kubeconfig`);
    const client = await connect();
    const made = await client.create(ConfigMaps, {
      metadata: { namespace: "default", name: "kept" },
      data: { a: "1" },
    });
    await vi.waitFor(async () => {
      const { items } = await client.list(Nodes);
      expect(items[0]?.status?.conditions).toContainEqual(expect.objectContaining({ type: "Ready", status: "True" }));
    });
    await client.close();
    first.child.kill("SIGINT");
    expect(await first.ended).toEqual([0, null]);

    await up("--port", "0", "--nodes", "0");
    const again = await connect();
    expect(await again.get(ConfigMaps, "default", "kept")).toEqual(made);
    await again.close();
  });

  test("a second one on the same data is refused, and says who has it", async () => {
    const first = await up("--port", "0");
    const before = await readFile(join(directory, "kubeconfig"), "utf8");
    const second = await up("--port", "0");
    expect((await second.ended)[0]).not.toBe(0);
    expect(second.said()).toContain(`cannot open ${directory}/store.db: it is in use by process ${first.child.pid} (`);
    expect(second.said()).toContain("stop that one, or use another data directory");
    expect(await readFile(join(directory, "kubeconfig"), "utf8")).toBe(before);
  });

  test("a port that is taken, and data where there can be none, name the remedy and cost nothing", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    try {
      const { port } = taken.address() as AddressInfo;
      const second = await up("--port", String(port));
      expect((await second.ended)[0]).toBe(2);
      expect(second.said()).toContain(`cannot listen on 127.0.0.1:${port}: another process does`);
    } finally {
      taken.close();
    }
    await writeFile(join(directory, "file"), "kept");
    const misplaced = await up("--data-dir", join(directory, "file"), "--port", "0");
    expect((await misplaced.ended)[0]).toBe(2);
    expect(misplaced.said()).toContain(`cannot keep data in ${directory}/file: it is no directory`);
    expect(await readFile(join(directory, "file"), "utf8")).toBe("kept");
  });

  test.each([
    { args: ["--host", "999.1.1.1"], want: "cannot listen on 999.1.1.1:6443: no address has that name" },
    { args: ["--port", "eighty"], want: "A port is 0 to 65535" },
    { args: ["--nodes", "-1"], want: "A count of nodes is 0 to 999" },
    { args: ["--data-dir", ""], want: "A directory has a name." },
    {
      args: ["--data-dir", "/proc/berg"],
      want: "error: cannot keep data in /proc/berg: it is no directory, and none can be made",
    },
    { args: ["--runtime", "lxc"], want: "Allowed choices are auto, docker, podman, simulated" },
  ])("says what is wrong with $args", async ({ args, want }) => {
    const { ended, said } = await up(...args);
    expect((await ended)[0]).toBe(2);
    expect(said()).toContain(want);
    // One line for people, and no log.
    expect(said()).not.toContain('"level"');
  });
});

test("what went wrong first is told, and not what came of it", () => {
  const first = new Error("the disk is full");
  expect(firstOf(new SuppressedError(new Error("b"), new SuppressedError(new Error("a"), first)))).toBe(first);
  expect(firstOf(first)).toBe(first);
});
