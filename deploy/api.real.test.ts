/**
 * `berg api` as deploy/api installs it: two replicas with their account's rights on a real API server and PostgreSQL, what
 * they ask the server for, and what the account may do besides.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { defineResource, isForbidden, type KubeObject, type ToCreate } from "@berg/apimachinery";
import {
  type Client,
  ConfigMaps,
  createClient,
  Events,
  Leases,
  Namespaces,
  type Pod,
  Pods,
  Secrets,
  unlimited,
} from "@berg/kube";
import { startSimulator } from "@berg/local-node";
import {
  annotations,
  ChallengeInstances,
  Challenges,
  Competitions,
  finalizers,
  labels,
  managedByBerg,
} from "@berg/resources";
import {
  type ControlPlane,
  ciliumVerdicts,
  installForeignCrds,
  missingControlPlane,
  missingForeignCrds,
  missingPostgres,
  startControlPlane,
  startPostgres,
} from "@berg/test";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { parseAllDocuments } from "yaml";
import { AuditLog, type LoggedRequest } from "../test/bench/instances/audit-log.ts";
import { accessMatrix } from "./testing/access-matrix.ts";
import { type ApiReplica, Browser, deployApi, startApiReplica } from "./testing/api-replica.ts";
import { ClusterRoles } from "./testing/cluster-roles.ts";
import { applyAll, tokenOf } from "./testing/installed.ts";
import { kubeconfigOf, Replica } from "./testing/replica.ts";

const here = (file: string) => join(import.meta.dirname, file);
const main = here("../packages/cli/src/main.ts");
const account = "system:serviceaccount:berg:berg-api";
const publicUrl = "https://ctf.example.com";
const code = "open-sesame";
const noForeignCrds = await missingForeignCrds();
const kinds = {
  "berg.norelect.ch": ["challengeinstances", "challengeinstances/status", "challenges", "competitions", "pages"],
};

interface Rule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
}

const Roles = defineResource<KubeObject & { rules: Rule[] }>({
  group: "rbac.authorization.k8s.io",
  version: "v1",
  resource: "roles",
  kind: "Role",
  namespaced: true,
});

describe.skipIf((await missingControlPlane()) ?? missingPostgres())("berg api, installed by deploy/api", () => {
  const world = new AsyncDisposableStack();
  let controlPlane: ControlPlane;
  let audit: AuditLog;
  let admin: Client;
  let api: Client;
  let databaseUrl: string;

  beforeAll(async () => {
    const directory = await mkdtemp(join(tmpdir(), "berg-deploy-api-"));
    world.defer(() => rm(directory, { recursive: true, force: true }));
    audit = await AuditLog.prepare(directory, account, { withReads: true });
    const postgres = world.use(await startPostgres());
    databaseUrl = await postgres.newDatabase();
    // As Kubernetes before 1.32 is: informers then list first. With streamed lists they only watch.
    const apiServerFlags = [...audit.apiServerFlags, "--feature-gates=WatchList=false"];
    controlPlane = world.use(await startControlPlane({ scheduler: false, apiServerFlags }));
    admin = createClient({ connection: controlPlane.connection, rate: unlimited });
    world.defer(() => admin.close());
    await applyAll(controlPlane);
    const stringData = { DATABASE_URL: databaseUrl };
    await admin.create(Secrets, { metadata: { namespace: "berg", name: "berg-api" }, stringData } as never);
    await controlPlane.kubectl(["apply", "--validate=strict", "-k", deployApi]);
    const data = { PUBLIC_URL: publicUrl };
    await admin.patch(ConfigMaps, "berg", "berg-api", { type: "merge", body: { data } });
    api = createClient({ connection: controlPlane.connectWith(await tokenOf(admin, "berg-api")), rate: unlimited });
    world.defer(() => api.close());
    const attempt = () => api.create(Leases, { metadata: { namespace: "berg", name: "more" } }, { dryRun: true });
    const inForce = () => expect(attempt()).rejects.toThrow("the API writes only");
    await vi.waitFor(inForce, { timeout: 30_000, interval: 100 });
  });
  afterAll(() => world.disposeAsync());

  test("its pods are admitted, under the strictest pod security standard", async () => {
    const documents = parseAllDocuments(await readFile(here("api/deployment.yaml"), "utf8"), { merge: true });
    const [{ template }] = documents.map((each) => each.toJS()).flatMap(({ spec }) => spec ?? []);
    const pod = { metadata: { ...template.metadata, namespace: "berg", name: "one" }, spec: template.spec };
    await admin.create(Pods, pod as ToCreate<Pod>, { dryRun: true });
    const lax = { ...pod, spec: { ...pod.spec, hostNetwork: true } } as ToCreate<Pod>;
    await expect(admin.create(Pods, lax, { dryRun: true })).rejects.toThrow("restricted");
  });

  describe.skipIf(noForeignCrds)("with Gateway API and Cilium", () => {
    beforeAll(() => installForeignCrds(admin));

    test("the example of a route is valid, and takes no routes of instances", async () => {
      const file = here("examples/pages-route.yaml");
      await controlPlane.kubectl(["apply", "--validate=strict", "--dry-run=server", "-f", file]);
      const [gateway] = parseAllDocuments(await readFile(file, "utf8"), { merge: true }).map((each) => each.toJS());
      for (const { allowedRoutes } of gateway.spec.listeners)
        expect(allowedRoutes.namespaces).toEqual({ from: "Same" });
    });

    // The first time, Cilium's parser is compiled.
    test("Cilium accepts its form of the network policy", { timeout: 600_000 }, async () => {
      await controlPlane.kubectl(["apply", "--validate=strict", "-f", here("api/network-policy-cilium.yaml")]);
      const policy = await controlPlane.kubectl(["get", "cnp", "berg-api", "-n", "berg", "-o", "json"]);
      const [verdict] = await ciliumVerdicts([JSON.parse(policy)]);
      expect(verdict).toMatchObject({ rules: [{}] });
      expect(verdict?.problem).toBeUndefined();
    });
  });

  test("two replicas use every right of their account, and are refused nothing", { timeout: 300_000 }, async () => {
    await using simulator = await startSimulator({ connection: controlPlane.connection });
    expect(simulator).toBeDefined();
    await createCompetition();
    const KUBECONFIG = await kubeconfigOf(controlPlane, admin, { name: "berg-controller", namespace: "berg" });
    const controller = new Replica("controller", { KUBECONFIG, POD_NAMESPACE: "berg", NETWORK_POLICY: "kubernetes" });
    const mark = await audit.mark();
    const [first, second] = [await startApiReplica(controlPlane, admin), await startApiReplica(controlPlane, admin)];
    await playOnce(first, second);
    // Whichever of them leads creates its lease again.
    await admin.delete(Leases, "berg", "berg-api");
    const lease = () =>
      admin.get(Leases, "berg", "berg-api").then(
        ({ spec }) => spec?.holderIdentity,
        () => undefined,
      );
    await expect.poll(lease, { timeout: 60_000 }).toEqual(expect.any(String));
    for (const { replica } of [first, second]) {
      replica.stop();
      expect(await replica.exit).toEqual([0, null]);
      expect(replica.lines.filter(({ error }) => /forbidden/i.test(error ?? ""))).toEqual([]);
    }
    controller.stop();
    expect(await controller.exit).toEqual([0, null]);

    const requests = (await audit.since(mark)).filter(({ resource }) => resource !== "");
    expect(requests.filter((one) => one.code === 403)).toEqual([]);
    expect([...new Set(requests.map(shown))].sort()).toEqual(await granted());
  });

  async function createCompetition(): Promise<void> {
    const stringData = { code };
    await admin.create(Secrets, { metadata: { namespace: "berg", name: "berg-registration" }, stringData } as never);
    const registration = { mode: "code", codeSecretRef: { name: "berg-registration", key: "code" } };
    const metadata = { namespace: "berg", name: "competition" };
    await admin.create(Competitions, { metadata, spec: { start: "2026-01-01T00:00:00Z", registration } } as never);
    await admin.create(Challenges, { metadata: { namespace: "berg", name: "cookie-jar" }, spec: cookieJar } as never);
  }

  /** A player on one replica and an admin on the other do everything that reaches Kubernetes. */
  async function playOnce(first: ApiReplica, second: ApiReplica): Promise<void> {
    const player = new Browser(first.port, publicUrl);
    const organiser = new Browser(second.port, publicUrl);
    await organiser.signIn(await adminLink(second.env));
    await player.call("POST", "/api/registration", { name: "Ada", code });
    const start = () => player.call("POST", "/api/instances/current", { challenge: "cookie-jar" });
    const current = () => player.call<Current>("GET", "/api/instances/current");
    const runs = () => expect.poll(async () => (await current()).phase, { timeout: 60_000 }).toBe("Running");
    await start();
    await runs();
    const { id } = await current();
    await player.call("POST", "/api/instances/current/renew");
    await player.call("POST", "/api/instances/current/restart");
    await runs();
    await organiser.call("POST", `/api/instances/${id}/extend`, { minutes: 10 });
    // The simulated node has no logs: the server says so, and the API reads on.
    await organiser.call("GET", `/api/instances/${id}/logs`);
    await organiser.call("GET", `/api/instances/${id}/events`);
    await organiser.call("GET", `/api/instances/${id}/timeline`);
    await organiser.call("POST", `/api/instances/${id}/stop`);
    const isGone = () => admin.list(ChallengeInstances, { namespace: "berg" }).then(({ items }) => items.length);
    await expect.poll(isGone, { timeout: 60_000 }).toBe(0);
    await start();
    await runs();
    await player.call("DELETE", "/api/instances/current");
    await expect.poll(isGone, { timeout: 60_000 }).toBe(0);
    const ended = await organiser.call<Current[]>("GET", "/api/instances/historic");
    expect(ended).toHaveLength(2);
  }

  /** As `kubectl exec … -- berg admin link` does in a pod. */
  async function adminLink(env: Record<string, string>): Promise<string> {
    return (await promisify(execFile)(process.execPath, [main, "admin", "link"], { env })).stdout;
  }

  async function granted(): Promise<string[]> {
    const roles = [await admin.get(Roles, "berg", "berg-api"), await admin.get(ClusterRoles, "", "berg-api")];
    const rules = roles.flatMap(({ rules }) => rules as Rule[]);
    const each = rules.flatMap(({ apiGroups: [group = ""], resources, verbs }) =>
      resources.flatMap((path) => {
        const [resource = "", subresource = ""] = path.split("/");
        return verbs.map((verb) => shown({ verb, group, resource, subresource }));
      }),
    );
    return [...new Set(each)].sort();
  }

  test("its account may do nothing else", async () => {
    expect(await accessMatrix(api, ["berg", "kube-system"], kinds)).toEqual([
      "pods: list",
      "pods/log: get",
      "events: list",
      "berg leases.coordination.k8s.io: create",
      "berg challengeinstances.berg.norelect.ch: get list watch create patch delete",
      "berg challenges.berg.norelect.ch: list watch",
      "berg competitions.berg.norelect.ch: list watch",
      "berg pages.berg.norelect.ch: list watch",
    ]);
  });

  describe("its account may not", () => {
    beforeAll(async () => {
      await admin.create(Namespaces, { metadata: { name: "elsewhere" } });
      const metadata = {
        ...{ namespace: "berg", name: "running", labels: { team: "blue" } },
        finalizers: [finalizers.controller, finalizers.api],
        annotations: { [annotations.instanceId]: "one" },
      };
      await admin.create(ChallengeInstances, { metadata, spec: specOf(ownerId) } as never);
    });

    const create = (metadata: object, spec: object = {}, namespace = "berg") =>
      api.create(ChallengeInstances, {
        metadata: { ...ownMetadata, namespace, ...metadata },
        spec: { ...specOf(ownerId), ...spec },
      } as never);
    const patch = (body: object) => api.patch(ChallengeInstances, "berg", "running", { type: "merge", body });
    const spec = (fields: object) => patch({ spec: fields });
    const metadataOfCreate = "with its own finalizer and an instance-id annotation, and no other metadata";
    const freshOnly = "that have not been renewed, restarted or ended";
    const changes = "the API changes timeout, renewals, restarts and terminationReason alone";
    const refusals: Record<string, { attempt: () => Promise<unknown>; wantReason: string }> = {
      "create an instance under another name": {
        attempt: () => create({ name: "mine" }),
        wantReason: "only ChallengeInstances named owner-<spec.ownerId>, and this is mine",
      },
      "create one under the name of another owner": {
        attempt: () => create({ name: `owner-${ownerId.replace(/b$/, "c")}` }),
        wantReason: "only ChallengeInstances named owner-<spec.ownerId>",
      },
      "create one without its finalizer": {
        attempt: () => create({ finalizers: [] }),
        wantReason: metadataOfCreate,
      },
      "create one with another finalizer": {
        attempt: () => create({ finalizers: [finalizers.api, "example.com/stay"] }),
        wantReason: metadataOfCreate,
      },
      "create one without an id": { attempt: () => create({ annotations: {} }), wantReason: metadataOfCreate },
      "create one with labels": {
        attempt: () => create({ labels: { [labels.managedBy]: managedByBerg } }),
        wantReason: metadataOfCreate,
      },
      "create one of a Challenge in another namespace": {
        attempt: () => create({}, { challengeRef: { name: "cookie-jar", namespace: "elsewhere" } }),
        wantReason: "of Challenges in the namespace berg",
      },
      "create one with renewals": { attempt: () => create({}, { renewals: 1 }), wantReason: freshOnly },
      "create one that has ended": {
        attempt: () => create({}, { terminationReason: "Failure" }),
        wantReason: freshOnly,
      },
      "create one elsewhere": {
        attempt: () => create({}, {}, "elsewhere"),
        wantReason: 'cannot create resource "challengeinstances"',
      },
      "give an instance a flag": {
        attempt: () => spec({ flag: "flag{mine}" }),
        wantReason: `${changes}, and not flag`,
      },
      "give an instance a last day": {
        attempt: () => spec({ until: "2036-01-01T00:00:00Z" }),
        wantReason: `${changes}, and not until`,
      },
      "end an instance as failed": {
        attempt: () => spec({ terminationReason: "Failure" }),
        wantReason: "sets terminationReason once, to UserRequest or AdminTermination",
      },
      "remove the finalizer of the controller": {
        attempt: () => patch({ metadata: { finalizers: [finalizers.api] } }),
        wantReason: "the API removes its own alone",
      },
      "add a finalizer": {
        attempt: () => patch({ metadata: { finalizers: [finalizers.controller, finalizers.api, "example.com/stay"] } }),
        wantReason: "the API removes its own alone",
      },
      "label an instance": {
        attempt: () => patch({ metadata: { labels: { team: "red" } } }),
        wantReason: "changes no labels, annotations and owner references",
      },
      "change the id of an instance": {
        attempt: () => patch({ metadata: { annotations: { [annotations.instanceId]: "two" } } }),
        wantReason: "changes no labels, annotations and owner references",
      },
      "write the status of an instance": {
        attempt: () =>
          api.patch(
            ChallengeInstances,
            "berg",
            "running",
            { type: "merge", body: { status: { phase: "Running" } } },
            {
              subresource: "status",
            },
          ),
        wantReason: 'cannot patch resource "challengeinstances/status"',
      },
      "delete all instances at once": {
        attempt: () => api.deleteCollection(ChallengeInstances, { namespace: "berg" }),
        wantReason: 'cannot deletecollection resource "challengeinstances"',
      },
      "change a Challenge": {
        attempt: () => api.patch(Challenges, "berg", "cookie-jar", { type: "merge", body: {} }),
        wantReason: 'cannot patch resource "challenges"',
      },
      "change the Competition": {
        attempt: () => api.patch(Competitions, "berg", "competition", { type: "merge", body: {} }),
        wantReason: 'cannot patch resource "competitions"',
      },
      "read another Secret": {
        attempt: () => api.get(Secrets, "berg", "berg-api"),
        wantReason: 'cannot get resource "secrets"',
      },
      "list Secrets": {
        attempt: () => api.list(Secrets, { namespace: "berg" }),
        wantReason: 'cannot list resource "secrets"',
      },
      "create another lease": {
        attempt: () => api.create(Leases, { metadata: { namespace: "berg", name: "berg-more" } }),
        wantReason: "CREATE leases.coordination.k8s.io berg/berg-more",
      },
      "take the lease of the controller": {
        attempt: () => api.get(Leases, "berg", "berg-controller"),
        wantReason: 'cannot get resource "leases"',
      },
      "create events": {
        attempt: () => api.create(Events, { metadata: { namespace: "berg", name: "x" }, involvedObject: {} } as never),
        wantReason: 'cannot create resource "events"',
      },
    };
    test.each(Object.entries(refusals))("%s", (_, { attempt, wantReason }) => expectRefusal(attempt, wantReason));

    test("write anything else, even where RBAC allows it", async () => {
      const { kubectl } = controlPlane;
      const subject = "--serviceaccount=berg:berg-api";
      await kubectl(["create", "clusterrolebinding", "too-much", "--clusterrole=cluster-admin", subject]);
      onTestFinished(async () => void (await kubectl(["delete", "clusterrolebinding", "too-much"])));
      const attempt = () => api.create(ConfigMaps, { metadata: { namespace: "berg", name: "more" } });
      const refused = () => expectRefusal(attempt, "the API writes only ChallengeInstances in the namespace berg");
      await vi.waitFor(refused, { timeout: 30_000, interval: 100 });
      const body = { status: { phase: "Running" } };
      const status = () =>
        api.patch(ChallengeInstances, "berg", "running", { type: "merge", body }, { subresource: "status" });
      await expectRefusal(status, "UPDATE challengeinstances.berg.norelect.ch/status berg/running");
      await expectRefusal(() => create({}, {}, "elsewhere"), "CREATE challengeinstances.berg.norelect.ch elsewhere/");
      await expectRefusal(() => api.delete(Leases, "berg", "berg-api"), "DELETE leases.coordination.k8s.io");
    });
  });

  test("its account may do what the API does, on instances of others too", async () => {
    const change = (body: object) => api.patch(ChallengeInstances, "berg", "running", { type: "merge", body });
    await change({ spec: { timeout: "2h", renewals: 1, restarts: 1 } });
    await change({ spec: { terminationReason: "AdminTermination" } });
    const { metadata } = await change({ metadata: { finalizers: [finalizers.controller] } });
    expect(metadata.finalizers).toEqual([finalizers.controller]);
    await api.delete(ChallengeInstances, "berg", "running");
  });
});

interface Current {
  id: string;
  phase: string;
}

const ownerId = "0190b5a4-7c1e-7d3a-8f00-0123456789ab";
const ownMetadata = {
  name: `owner-${ownerId}`,
  finalizers: [finalizers.api],
  annotations: { [annotations.instanceId]: "0190b5a4-7c1e-7d3a-8f00-0123456789ac" },
};

function specOf(owner: string) {
  return { ownerId: owner, challengeRef: { name: "cookie-jar", namespace: "berg" }, renewals: 0, restarts: 0 };
}

const cookieJar = {
  flagFormat: "flag{...}",
  flag: "flag{jar}",
  containers: [
    {
      hostname: "web",
      image: "cookie-jar",
      ports: [{ port: 80, protocol: "tcp", type: "internalPort" }],
      dynamicFlag: { content: { path: "/flag", mode: 0o444 } },
    },
  ],
};

function shown({
  verb,
  group,
  resource,
  subresource,
}: Pick<LoggedRequest, "verb" | "group" | "resource" | "subresource">) {
  return `${group === "" ? "core" : group} ${resource}${subresource === "" ? "" : `/${subresource}`}: ${verb}`;
}

async function expectRefusal(attempt: () => Promise<unknown>, wantReason: string): Promise<void> {
  const outcome = await attempt().then(
    () => "it was allowed",
    (error) => (isForbidden(error) ? error.message : error),
  );
  expect(outcome).toContain(wantReason);
}
