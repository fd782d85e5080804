/**
 * Runs the commands of the guide as its reader would, in their order, with the real kubectl, API server and PostgreSQL.
 *
 * There is no kubelet. The pods of the Deployments are simulated ones, and beside them run the same programs as processes,
 * with the environment and the account that the Deployments give them. `kubectl exec` and the forwarded ports, which need a
 * kubelet, become a program with the environment of the pod and the ports of its process.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Client, createClient, unlimited } from "@berg/kube";
import { startSimulator } from "@berg/local-node";
import { ChallengeInstances } from "@berg/resources";
import {
  type ControlPlane,
  installForeignCrds,
  missingControlPlane,
  missingForeignCrds,
  missingPostgres,
  provideBinaries,
  startControlPlane,
  startPostgres,
} from "@berg/test";
import { describe, expect, test } from "vitest";
import { type ApiReplica, Browser, environmentOf, startApiReplica } from "../deploy/testing/api-replica.ts";
import { kubeconfigOf, Replica } from "../deploy/testing/replica.ts";
import { findPostgres } from "../test/postgres/missing.ts";

const checkout = join(import.meta.dirname, "..");
const publicUrl = "https://ctf.example.com";
const needed = ["crds", "deploy", "docs", "node_modules", "package.json", "packages", "tools"];
const missing = (await missingControlPlane()) || missingPostgres() || (await missingForeignCrds());

describe.skipIf(missing)("the guide to run a competition", () => {
  test("works from its first command to its last", { timeout: 600_000 }, async () => {
    await using undo = new AsyncDisposableStack();
    const directory = await mkdtemp(join(tmpdir(), "berg-guide-"));
    undo.defer(() => rm(directory, { recursive: true, force: true }));
    for (const name of needed) await symlink(join(checkout, name), join(directory, name));
    const postgres = undo.use(await startPostgres());
    const controlPlane = undo.use(await startControlPlane({ scheduler: false }));
    const admin = createClient({ connection: controlPlane.connection, rate: unlimited });
    undo.defer(() => admin.close());
    await installForeignCrds(admin);
    undo.use(await startSimulator({ connection: controlPlane.connection }));
    const guide = new Guide(directory, {
      ...process.env,
      KUBECONFIG: controlPlane.kubeconfig,
      DATABASE_URL: await postgres.newDatabase(),
      PATH: `${await provideBinaries()}:${findPostgres()}:${process.env.PATH}`,
    });
    const blocks = await blocksOf("run-a-competition.md");
    const run = async (start: string) => {
      const block = blocks.shift() ?? "";
      expect(block.trimStart().slice(0, start.length)).toBe(start);
      return guide.run(block);
    };

    expect(await run("psql")).toContain("berg");
    await run("mkdir -p competition");
    await run("kubectl apply --server-side -f crds/");
    await run("kubectl rollout status");
    const controller = await startController(controlPlane, admin);
    guide.pod = await startApiReplica(controlPlane, admin);
    let second = await startApiReplica(controlPlane, admin);
    await run("kubectl apply -f deploy/examples/gateway.yaml");
    await run("kubectl apply -f - <<'END'");

    const organiser = new Browser(guide.pod.port, publicUrl);
    await organiser.signIn(await run("kubectl exec"));
    const grace = new Browser(second.port, publicUrl);
    await grace.signIn(await run("PUBLIC_URL="));
    for (const one of [organiser, grace]) expect((await one.ask("GET", "/api/admin/instances")).status).toBe(200);
    await run("kubectl patch secret");
    await run("kubectl apply -k competition");

    await run("npm run -s berg -- lint");
    const player = new Browser(second.port, publicUrl);
    const register = () => player.ask("POST", "/api/registration", { name: "Ada", code: "open-sesame" });
    const { status, text } = await register();
    expect([status, text]).toEqual([201, expect.stringContaining(`${publicUrl}/sign-in#`)]);
    const seen = async () => (await player.ask("GET", "/api/challenges/echo")).status;
    await expect.poll(seen, { timeout: 30_000 }).toBe(200);
    await player.call("POST", "/api/instances/current", { challenge: "echo" });
    const phase = async () => (await player.call<{ phase: string }>("GET", "/api/instances/current")).phase;
    await expect.poll(phase, { timeout: 60_000 }).toBe("Running");
    expect(await run("kubectl get challengeinstances")).toMatch(/owner-.*Running/);
    const watched = await run("curl");
    expect(watched).toContain("[+]database ok\n[+]kubernetes ok\n");
    expect(watched).toContain("berg_api_database_up 1");

    await run("pg_dump");
    await player.call("POST", "/api/sign-out");
    await run("kubectl scale -n berg deployment/berg-api --replicas=0");
    await stopAll(guide.pod.replica, second.replica);
    await run("pg_restore");
    await run("kubectl scale -n berg deployment/berg-api --replicas=2");
    guide.pod = await startApiReplica(controlPlane, admin);
    second = await startApiReplica(controlPlane, admin);
    // The account and its instance are there again; the link of before signs in.
    const again = new Browser(second.port, publicUrl);
    await again.signIn(JSON.parse(text).link);
    expect((await again.call<{ phase: string }>("GET", "/api/instances/current")).phase).toBe("Running");

    await run("kubectl apply --server-side -f crds/");
    const removed = await run("kubectl delete challengeinstances");
    expect(removed).toContain('namespace "berg" deleted');
    // Their pods, accounts and leases were deleted.
    for (const replica of [guide.pod.replica, second.replica, controller]) await replica.kill();
    expect(await run("npm run -s berg -- api --release")).toContain("Nothing to do");
    expect((await admin.list(ChallengeInstances)).items).toEqual([]);
    expect(blocks).toEqual([]);
  });
});

/** What stands between ```sh and ```, one block after the other. */
async function blocksOf(name: string): Promise<string[]> {
  const text = await readFile(join(import.meta.dirname, name), "utf8");
  return [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = ""]) => block);
}

class Guide {
  readonly #directory: string;
  readonly #env: NodeJS.ProcessEnv;
  /** The one that `kubectl exec` and forwarded ports reach. */
  pod: ApiReplica | undefined;

  constructor(directory: string, env: NodeJS.ProcessEnv) {
    this.#directory = directory;
    this.#env = env;
  }

  /** What it prints; fails where one of its commands does. */
  async run(block: string): Promise<string> {
    const { env = {}, healthPort, metricsPort } = this.pod ?? {};
    const variables = Object.entries(env).map(([name, value]) => `${name}='${value}'`);
    const main = join(checkout, "packages/cli/src/main.ts");
    const inPod = `env -i ${variables.join(" ")} '${process.execPath}' '${main}'`;
    const script = block
      .replaceAll("kubectl exec -n berg deployment/berg-api -- berg", inPod)
      .replaceAll("localhost:8085", `127.0.0.1:${healthPort}`)
      .replaceAll("localhost:8086", `127.0.0.1:${metricsPort}`);
    const shell = ["-euo", "pipefail", "-c", script];
    const ran = promisify(execFile)("bash", shell, { cwd: this.#directory, env: this.#env });
    return ran.then(
      ({ stdout }) => stdout,
      ({ stdout, stderr }) => expect.fail(`${block}${stdout}${stderr}`),
    );
  }
}

async function startController(controlPlane: ControlPlane, admin: Client): Promise<Replica> {
  const KUBECONFIG = await kubeconfigOf(controlPlane, admin, { name: "berg-controller", namespace: "berg" });
  const env = { ...(await environmentOf(admin, "berg", "berg-controller")), KUBECONFIG };
  const controller = new Replica("controller", env);
  await expect.poll(() => controller.said("leading"), { timeout: 60_000 }).toBe(true);
  return controller;
}

async function stopAll(...replicas: Replica[]): Promise<void> {
  for (const replica of replicas) {
    replica.stop();
    expect(await replica.exit).toEqual([0, null]);
  }
}
