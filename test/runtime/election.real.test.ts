/** Two processes, one lease, and a leader that sleeps through it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { ConfigMaps, createClient, Namespaces } from "@berg/kube";
import { afterAll, beforeAll, expect, test } from "vitest";
import { missingControlPlane } from "../control-plane/binaries.ts";
import { type ControlPlane, startControlPlane } from "../control-plane/control-plane.ts";
import { FaultProxy, type Seen } from "../faults/proxy.ts";
import { eventually } from "./eventually.ts";

let controlPlane: ControlPlane;
let proxy: FaultProxy;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  controlPlane = await startControlPlane({ controllerManager: false, scheduler: false });
  proxy = await FaultProxy.start(controlPlane.connection);
});
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await proxy?.stop();
  await controlPlane?.stop();
});

function start(identity: string, namespace: string, round: Round): ChildProcess {
  const settings = { server: proxy.connection.server, token: controlPlane.token, namespace, identity, ...round };
  const child = spawn(process.execPath, [join(import.meta.dirname, "candidate.ts"), JSON.stringify(settings)], {
    stdio: "inherit",
  });
  children.add(child);
  child.on("exit", () => children.delete(child));
  return child;
}

/** The writes of one candidate that arrived after a moment, its attempts to renew the lease included. */
function writesOf(identity: string, after = 0): Seen[] {
  return proxy.requests.filter(
    ({ userAgent, method, at }) => method !== "GET" && at > after && userAgent.includes(`-${identity}/`),
  );
}

interface Round {
  timing?: { leaseSeconds: number; renewDeadlineSeconds: number; retrySeconds: number };
}

const quick = { leaseSeconds: 3, renewDeadlineSeconds: 2, retrySeconds: 0.4 };
const rounds: Record<string, Round> = {
  "with the timing that we ship": {},
  "with a quick lease": { timing: quick },
};

const names = Object.keys(rounds);
test.skipIf(await missingControlPlane()).each(names)(
  "a leader that slept past its lease writes nothing when it wakes, %s",
  async (name) => {
    const round = rounds[name] as Round;
    const namespace = `election-${names.indexOf(name)}`;
    const client = createClient({ connection: controlPlane.connection });
    await client.create(Namespaces, { metadata: { name: namespace } });
    await client.create(ConfigMaps, { metadata: { namespace, name: "shared" } });

    const [one, two] = [`${namespace}-one`, `${namespace}-two`];
    const sleeper = start(one, namespace, round);
    await eventually("the first one writes", () => writesOf(one).length > 50);
    const successor = start(two, namespace, round);
    const sleeperExit = once(sleeper, "exit");

    sleeper.kill("SIGUSR2");
    const frozenAt = performance.now();
    await eventually("the second one writes", () => writesOf(two).length > 50);
    // What the kernel held of the sleeper's requests has long arrived; whatever comes now, it sends now.
    const wokenAt = performance.now();
    sleeper.kill("SIGCONT");
    const [code] = await sleeperExit;
    await new Promise((resolve) => setTimeout(resolve, 200));

    expect(writesOf(one, wokenAt)).toEqual([]);
    expect(code).toBe(1);
    // And the successor did not begin before the sleeper's own deadline had passed.
    const first = writesOf(two).find(({ path }) => path.includes("configmaps"));
    expect((first?.at ?? 0) - frozenAt).toBeGreaterThan(round.timing ? 1_000 : 8_000);
    successor.kill("SIGKILL");
    await client.close();
  },
);
