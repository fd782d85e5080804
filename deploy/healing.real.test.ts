/** What the accounts of listener and janitor may do and what not, and both as their manifests start them: on one control plane, so in one file. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isForbidden, type ToCreate } from "@berg/apimachinery";
import {
  type Client,
  ConfigMaps,
  createClient,
  Deployments,
  Events,
  kubeconfigFor,
  Leases,
  Namespaces,
  type Pod,
  Pods,
  Secrets,
  ServiceAccounts,
  unlimited,
} from "@berg/kube";
import { ChallengeInstances, finalizers, labels, managedByBerg } from "@berg/resources";
import { missingControlPlane } from "@berg/test";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { parseAllDocuments } from "yaml";
import { type Installed, installed, tokenOf } from "./testing/installed.ts";

const here = (file: string) => join(import.meta.dirname, file);
const marks = { [labels.managedBy]: managedByBerg, [labels.instanceUid]: "5f0c1a52-uid" };
const ours = "challenge-ada";

describe.skipIf(await missingControlPlane())("listener and janitor, installed", () => {
  let cluster: Installed;
  let admin: Client;
  let listener: Client;
  let janitor: Client;

  beforeAll(async () => {
    cluster = await installed();
    ({ admin } = cluster);
    const clientOf = async (account: string) =>
      createClient({ connection: cluster.controlPlane.connectWith(await tokenOf(admin, account)), rate: unlimited });
    [listener, janitor] = [await clientOf("berg-listener"), await clientOf("berg-janitor")];
    const namespaces = { elsewhere: {}, "challenge-foreign": {}, renamed: marks, [ours]: marks };
    for (const [name, labels] of Object.entries(namespaces)) {
      await admin.create(Namespaces, { metadata: { name, labels } });
      // The controller manager would make it.
      await admin.create(ServiceAccounts, { metadata: { namespace: name, name: "default" } });
    }
    for (const namespace of [ours, "elsewhere"]) await admin.create(Pods, podIn(namespace, "marked", marks));
    await admin.create(Pods, podIn(ours, "theirs", {}));
    for (const client of [listener, janitor]) {
      const inForce = () => expect(client.delete(Namespaces, "", "elsewhere")).rejects.toThrow("is not");
      await vi.waitFor(inForce, { timeout: 30_000, interval: 100 });
    }
  });

  afterAll(async () => {
    await listener?.close();
    await janitor?.close();
    await cluster?.[Symbol.asyncDispose]();
  });

  /** One that has its time, which is over, and the controller's finalizer. */
  async function instance(name: string, status: object = { expiresAt: "2026-01-01T00:00:00Z", phase: "Running" }) {
    const ownerId = "0190b5a4-7c1e-7d3a-8f00-0123456789ab";
    const spec = { ownerId, challengeRef: { name: "web" }, renewals: 0, restarts: 0 };
    const metadata = { namespace: "berg", name, finalizers: [finalizers.controller] };
    await admin.create(ChallengeInstances, { metadata, spec });
    return admin.patch(ChallengeInstances, "berg", name, merge({ status }), { subresource: "status" });
  }

  const patchStatus = (name: string, status: object) =>
    listener.patch(ChallengeInstances, "berg", name, merge({ status }), { subresource: "status" });
  const patch = (name: string, body: object) => listener.patch(ChallengeInstances, "berg", name, merge(body));

  test.each(["listener-deployment.yaml", "janitor-deployment.yaml", "janitor-cron-job.yaml"])(
    "the pods of %s are admitted, under the strictest pod security standard",
    async (file) => {
      const documents = parseAllDocuments(await readFile(here(file), "utf8"), { merge: true });
      const specs = documents.flatMap((each) => (each.toJS() as { spec?: Templated }).spec ?? []);
      const [template] = specs.flatMap((spec) => spec.template ?? spec.jobTemplate?.spec.template ?? []);
      const pod = { metadata: { ...template?.metadata, namespace: "berg", name: "one" }, spec: template?.spec };
      await admin.create(Pods, pod as ToCreate<Pod>, { dryRun: true });
      const lax = { ...pod, spec: { ...pod.spec, hostNetwork: true } } as ToCreate<Pod>;
      await expect(admin.create(Pods, lax, { dryRun: true })).rejects.toThrow("restricted");
    },
  );

  test("the manifests of the CronJob are right", async () => {
    await cluster.controlPlane.kubectl([
      "apply",
      "--validate=strict",
      "--dry-run=server",
      "-f",
      here("janitor-cron-job.yaml"),
    ]);
  });

  describe("the janitor's account may", () => {
    test("read and delete what instances are made of", async () => {
      await instance("expired");
      for (const type of [ChallengeInstances, Namespaces, Deployments, Pods]) await janitor.list(type as never);
      await janitor.delete(ChallengeInstances, "berg", "expired");
      await janitor.delete(Pods, ours, "marked", { dryRun: true });
      const deployment = deploymentIn(ours);
      await admin.create(Deployments, deployment);
      await janitor.delete(Deployments, ours, deployment.metadata.name);
      await janitor.delete(Namespaces, "", ours, { dryRun: true });
    });
  });

  const namespaceRefusals = (client: () => Client, who: string) => ({
    "delete somebody else's namespace": {
      attempt: () => client().delete(Namespaces, "", "elsewhere"),
      wantReason: `the ${who} deletes only namespaces named challenge-…`,
    },
    "delete one that has our prefix alone": {
      attempt: () => client().delete(Namespaces, "", "challenge-foreign"),
      wantReason: '"challenge-foreign" is not',
    },
    "delete one that has our marks alone": {
      attempt: () => client().delete(Namespaces, "", "renamed"),
      wantReason: '"renamed" is not',
    },
    "delete a marked pod elsewhere": {
      attempt: () => client().delete(Pods, "elsewhere", "marked"),
      wantReason: `the ${who} deletes only pods of instances, in their namespaces, and elsewhere/marked is none`,
    },
    "delete somebody's pod in an instance": {
      attempt: () => client().delete(Pods, ours, "theirs"),
      wantReason: `${ours}/theirs is none`,
    },
    "make or mark a namespace": {
      attempt: () => client().create(Namespaces, { metadata: { name: "challenge-bob", labels: marks } }),
      wantReason: 'cannot create resource "namespaces"',
    },
    "delete all pods of an instance at once": {
      attempt: () => client().deleteCollection(Pods, { namespace: ours }),
      wantReason: 'cannot deletecollection resource "pods"',
    },
    "read Secrets": {
      attempt: () => client().list(Secrets, { namespace: "berg" }),
      wantReason: 'cannot list resource "secrets"',
    },
    "read the settings of others": {
      attempt: () => client().get(ConfigMaps, "berg", "berg-controller"),
      wantReason: 'cannot get resource "configmaps"',
    },
    "take the controller's lease": {
      attempt: () => client().get(Leases, "berg", "berg-controller"),
      wantReason: 'cannot get resource "leases"',
    },
  });

  describe("the janitor's account may not", () => {
    const refusals: Record<string, { attempt: () => Promise<unknown>; wantReason: string }> = {
      ...namespaceRefusals(() => janitor, "janitor"),
      "delete an instance that has no time to end": {
        attempt: async () => {
          await instance("endless", { phase: "Running" });
          await janitor.delete(ChallengeInstances, "berg", "endless");
        },
        wantReason: "deletes only ChallengeInstances that have a time to end, and berg/endless has none",
      },
      "write an instance": {
        attempt: () => janitor.patch(ChallengeInstances, "berg", "endless", merge({ metadata: { finalizers: null } })),
        wantReason: 'cannot patch resource "challengeinstances"',
      },
      "tell of anything": {
        attempt: () => janitor.create(Events, eventIn("berg")),
        wantReason: 'cannot create resource "events"',
      },
    };
    test.each(Object.entries(refusals))("%s", (_, { attempt, wantReason }) => expectRefusal(attempt, wantReason));

    test("do anything but delete, even where RBAC would let it", () =>
      asAdministrator("janitor", async () => {
        const attempt = () => janitor.create(ConfigMaps, { metadata: { namespace: ours, name: "more" } });
        await vi.waitFor(() => expectRefusal(attempt, "the janitor only deletes"), { timeout: 30_000, interval: 100 });
        await expectRefusal(() => janitor.delete(Leases, "berg", "berg-controller"), "the janitor deletes no leases");
      }));
  });

  describe("the listener's account may", () => {
    test("say what it found, end what is stuck, and make its pods anew", async () => {
      await instance("stuck");
      const conditions = [{ type: "Stuck", status: "True" as const, reason: "ImagePull", message: "no such image" }];
      const metadata = { namespace: "berg", name: "stuck" };
      const options = { subresource: "status", fieldManager: "berg-listener", force: true };
      await listener.apply(ChallengeInstances, { metadata, status: { conditions } }, options);
      await patchStatus("stuck", { runtime: { state: "RUNNING" } });
      await patch("stuck", { metadata: { annotations: { "berg.norelect.ch/stuck-restarts": "1" } } });
      await patch("stuck", { spec: { terminationReason: "Failure" } });
      await listener.delete(Pods, ours, "marked", { dryRun: true });
      await listener.create(Events, eventIn("berg"));
      await listener.list(Events, { namespace: ours });
      await listener.delete(Namespaces, "", ours, { dryRun: true });
    });

    test("lead", async () => {
      const lease = await listener.get(Leases, "berg", "berg-listener");
      await listener.update(Leases, { ...lease, spec: { holderIdentity: "one", leaseDurationSeconds: 15 } });
      await admin.delete(Leases, "berg", "berg-listener");
      await listener.create(Leases, { metadata: { namespace: "berg", name: "berg-listener" } });
    });
  });

  describe("the listener's account may not", () => {
    beforeAll(() => instance("running"));
    const status = "of the status of a ChallengeInstance the listener writes conditions and runtime alone";
    const spec = "the listener writes terminationReason alone, once, and only Failure";
    const refusals: Record<string, { attempt: () => Promise<unknown>; wantReason: string }> = {
      ...namespaceRefusals(() => listener, "listener"),
      "write the phase": { attempt: () => patchStatus("running", { phase: "Failed" }), wantReason: status },
      "give an instance more time": {
        attempt: () => patchStatus("running", { expiresAt: "2036-01-01T00:00:00Z" }),
        wantReason: status,
      },
      "take an expiry away": { attempt: () => patchStatus("running", { expiresAt: null }), wantReason: status },
      "end an instance in an owner's name": {
        attempt: () => patch("running", { spec: { terminationReason: "UserRequest" } }),
        wantReason: spec,
      },
      "renew an instance": { attempt: () => patch("running", { spec: { renewals: 1 } }), wantReason: spec },
      "set a flag": { attempt: () => patch("running", { spec: { flag: "x" } }), wantReason: spec },
      "take off the controller's finalizer": {
        attempt: () => patch("running", { metadata: { finalizers: null } }),
        wantReason: "the finalizers of a ChallengeInstance are not the listener's",
      },
      "delete an instance": {
        attempt: () => listener.delete(ChallengeInstances, "berg", "running"),
        wantReason: 'cannot delete resource "challengeinstances"',
      },
      "make another lease": {
        attempt: () => listener.create(Leases, { metadata: { namespace: "berg", name: "berg-more" } }),
        wantReason: "only the lease berg/berg-listener, and this is berg/berg-more",
      },
    };
    test.each(Object.entries(refusals))("%s", (_, { attempt, wantReason }) => expectRefusal(attempt, wantReason));

    test("write anything else, even where RBAC would let it", () =>
      asAdministrator("listener", async () => {
        const attempt = () => listener.create(ConfigMaps, { metadata: { namespace: ours, name: "more" } });
        const refused = () => expectRefusal(attempt, "the listener does not CREATE configmaps");
        await vi.waitFor(refused, { timeout: 30_000, interval: 100 });
        const gone = () => listener.delete(ChallengeInstances, "berg", "running");
        await expectRefusal(gone, "the listener does not DELETE challengeinstances");
      }));
  });

  describe("as processes with their accounts' rights", () => {
    test("berg janitor --once ends what is due, and is refused nothing", async () => {
      const due = await instance("due");
      const name = "challenge-due";
      const owned = { ...marks, [labels.instanceUid]: due.metadata.uid };
      await admin.create(Namespaces, { metadata: { name, labels: owned } });
      const deployment = deploymentIn(name);
      await admin.create(Deployments, { ...deployment, metadata: { ...deployment.metadata, labels: owned } });
      const { code, output } = await run(["janitor", "--once"], "berg-janitor");
      expect(output).toMatch(/^ChallengeInstance +berg\/due +deleted/m);
      expect(output).toMatch(/^Deployment +challenge-due\/web +deleted/m);
      expect(output).toMatch(/^Namespace +challenge-due +deleted/m);
      expect([code, /forbidden/i.test(output)]).toEqual([0, false]);
    });

    test.each(["janitor", "listener"])("berg %s works, and is refused nothing", async (component) => {
      const { code, output } = await run([component], `berg-${component}`, (said) =>
        said.includes(component === "listener" ? '"leading"' : "caches are filled"),
      );
      expect(code).toBe(0);
      expect(output).not.toMatch(/forbidden|cannot (list|watch|get)/i);
    });
  });

  /** Until it ends, or is told to as soon as `enough` holds, and a little later. */
  async function run(args: string[], account: string, enough?: (said: string) => boolean) {
    const { server, connection, directory } = cluster.controlPlane;
    const { ca = "" } = await connection.tls();
    const KUBECONFIG = join(directory, `${account}.kubeconfig`);
    const token = await tokenOf(admin, account);
    await writeFile(KUBECONFIG, kubeconfigFor({ name: account, server, ca: String(ca), token }), { mode: 0o600 });
    const env = { KUBECONFIG, POD_NAMESPACE: "berg", HEALTH_PORT: "0", METRICS_PORT: "0", GHOST_GRACE: "1h" };
    const child = spawn(process.execPath, [here("../packages/cli/src/main.ts"), ...args], { env });
    onTestFinished(() => void child.kill("SIGKILL"));
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
    const exit = once(child, "close");
    if (enough) {
      await expect.poll(() => enough(output), { timeout: 60_000 }).toBe(true);
      await new Promise((go) => setTimeout(go, 2000));
      child.kill("SIGTERM");
    }
    const [code] = await exit;
    return { code: code as number | null, output };
  }

  async function asAdministrator(component: string, work: () => Promise<void>): Promise<void> {
    const { kubectl } = cluster.controlPlane;
    const subject = `--serviceaccount=berg:berg-${component}`;
    await kubectl(["create", "clusterrolebinding", "too-much", "--clusterrole=cluster-admin", subject]);
    try {
      await work();
    } finally {
      await kubectl(["delete", "clusterrolebinding", "too-much"]);
    }
  }
});

async function expectRefusal(attempt: () => Promise<unknown>, wantReason: string): Promise<void> {
  const outcome = await attempt().then(
    () => "it was allowed",
    (error) => (isForbidden(error) ? error.message : error),
  );
  expect(outcome).toContain(wantReason);
}

function merge(body: object) {
  return { type: "merge", body } as const;
}

interface Templated {
  template?: { metadata: object; spec: object };
  jobTemplate?: { spec: Templated };
}

function deploymentIn(namespace: string) {
  const matchLabels = { app: "web" };
  const template = { metadata: { labels: matchLabels }, spec: { containers: [{ name: "web", image: "web" }] } };
  return { metadata: { namespace, name: "web", labels: marks }, spec: { selector: { matchLabels }, template } };
}

function podIn(namespace: string, name: string, labels: Record<string, string>) {
  return { metadata: { namespace, name, labels }, spec: { containers: [{ name: "web", image: "web" }] } };
}

function eventIn(namespace: string) {
  const involvedObject = { apiVersion: "berg.norelect.ch/v1", kind: "ChallengeInstance", name: "stuck", namespace };
  return { metadata: { namespace, name: "stuck.1" }, involvedObject, reason: "Stuck", type: "Warning" };
}
