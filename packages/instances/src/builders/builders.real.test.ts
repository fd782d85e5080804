/** What the builders make is taken by a real server as it is, and works there. */
import { defineResource, type KubeObject, StatusError, type Stored } from "@berg/apimachinery";
import {
  type Client,
  ControllerRevisions,
  createClient,
  isAsWanted,
  type Pod,
  Pods,
  ResourceQuotas,
  Services,
  unlimited,
} from "@berg/kube";
import { fieldManagers } from "@berg/resources";
import {
  type ControlPlane,
  installForeignCrds,
  missingControlPlane,
  missingForeignCrds,
  startControlPlane,
} from "@berg/test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addresses } from "./addresses.ts";
import type { Blueprint, Child } from "./blueprint.ts";
import { publicServices } from "./endpoints.ts";
import { foundation } from "./foundation.ts";
import { limits } from "./limits.ts";
import { instanceNamespaceName } from "./names.ts";
import { isBaselineCapability, namespaceChild } from "./namespace.ts";
import { readRevision, revisionOf } from "./revision.ts";
import { routes } from "./routes.ts";
import { blueprintOf, containerOf, everyPortType, routeTypes } from "./testing/blueprints.ts";

const pullSecret = { type: "kubernetes.io/dockerconfigjson", data: { ".dockerconfigjson": "eyJhdXRocyI6e319" } };

const cases = {
  "one container": blueprintOf({ settings: { network: { policy: "both", denyCidrs: ["10.0.0.0/8"] } } }),
  "every type of port": blueprintOf({ containers: everyPortType() }),
  "headless Services and a pull secret": blueprintOf({
    containers: [containerOf("web", [{ port: 80 }]), containerOf("worker")],
    settings: { headlessService: true, pullSecretName: "registry" },
  }),
  "the longest names": blueprintOf({
    challengeName: `${"c".repeat(51)}.${"d".repeat(12)}`,
    containers: [
      containerOf("w".repeat(63), [
        { port: 65535, type: "publicPort" },
        { port: 65534, type: "publicHttpRoute" },
      ]),
    ],
    settings: { headlessService: true },
  }),
  "a flag in a file": blueprintOf({
    containers: [containerOf("web", [], { dynamicFlag: { content: { path: "/flag" } } })],
    settings: { flagStorage: "Secret" },
  }),
  "nothing to start": blueprintOf({ containers: [] }),
};

const oddAmounts = [
  "0",
  "0.1",
  "1.500",
  "1000m",
  "0.0001",
  "100u",
  "1E3",
  "12e-1",
  "1.5Ki",
  "1024Mi",
  "0.3Gi",
  "8Ei",
  1e15,
];

// All that Linux has, to 6.x.
const capabilities =
  "CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER FSETID KILL SETGID SETUID SETPCAP LINUX_IMMUTABLE NET_BIND_SERVICE NET_BROADCAST NET_ADMIN NET_RAW IPC_LOCK IPC_OWNER SYS_MODULE SYS_RAWIO SYS_CHROOT SYS_PTRACE SYS_PACCT SYS_ADMIN SYS_BOOT SYS_NICE SYS_RESOURCE SYS_TIME SYS_TTY_CONFIG MKNOD LEASE AUDIT_WRITE AUDIT_CONTROL SETFCAP MAC_OVERRIDE MAC_ADMIN SYSLOG WAKE_ALARM BLOCK_SUSPEND AUDIT_READ PERFMON BPF CHECKPOINT_RESTORE ALL".split(
    " ",
  );

let owners = 0;

/** The same for an owner of its own, so that every test has its namespace. */
function forNewOwner(blueprint: Blueprint): Blueprint {
  const ownerId = `7d9f6a52-54c1-4f0e-8a53-${String(owners++).padStart(12, "0")}`;
  return { ...blueprint, instance: { ...blueprint.instance, ownerId } };
}

describe.skipIf((await missingControlPlane()) || (await missingForeignCrds()))("on a real server", () => {
  let controlPlane: ControlPlane;
  let client: Client;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ scheduler: false });
    client = createClient({ connection: controlPlane.connection, rate: unlimited });
    await installForeignCrds(client);
  });

  afterAll(async () => {
    await client?.close();
    await controlPlane?.stop();
  });

  const fieldManager = fieldManagers.controller;
  const create = ({ type, manifest }: Child, on = client) =>
    on.create(type, manifest, { fieldManager, fieldValidation: "Strict" });

  async function begin(blueprint: Blueprint) {
    const ours = forNewOwner(blueprint);
    await create(namespaceChild(ours));
    return { blueprint: ours, namespace: instanceNamespaceName(ours.instance.ownerId) };
  }

  async function expectAsSent(child: Child, on = client) {
    const stored: Stored<KubeObject> = await create(child, on);
    expect(stored).toMatchObject(child.manifest);
    expect(isAsWanted(child.manifest, stored)).toBe(true);
    const applied = await on.apply(child.type, child.manifest, { fieldManager, force: true });
    expect(applied.metadata.generation).toBe(stored.metadata.generation);
  }

  /** Whether the server would take the pod, or why not. */
  function tryPod(namespace: string, container: object): Promise<Pod | string> {
    const pod = {
      metadata: { namespace, name: "try" },
      spec: { containers: [{ name: "a", image: "a", ...container }] },
    };
    return client.create(Pods, pod, { dryRun: true }).catch((error) => {
      if (!(error instanceof StatusError)) throw error;
      return error.message;
    });
  }

  test.each(Object.entries(cases))("%s is stored as it was sent", async (_, example) => {
    const { blueprint } = await begin(example);
    const secret = blueprint.settings.pullSecretName === "" ? undefined : pullSecret;
    for (const child of [...foundation(blueprint, secret), ...addresses(blueprint, routeTypes)])
      await expectAsSent(child);
  });

  test("routes are stored as they were sent by a cluster that has TLSRoutes as v1alpha2", async () => {
    await using older = await startControlPlane({ controllerManager: false, scheduler: false });
    const itsClient = createClient({ connection: older.connection, rate: unlimited });
    await installForeignCrds(itsClient, { which: ["tlsroutes"], tlsRouteVersion: "v1alpha2" });
    const tlsRoute = defineResource({ ...routeTypes.tlsRoute, version: "v1alpha2" });
    const blueprint = blueprintOf({ containers: [containerOf("web", [{ port: 443, type: "publicTlsRoute" }])] });
    await create(namespaceChild(blueprint), itsClient);
    for (const child of routes(blueprint, { ...routeTypes, tlsRoute })) await expectAsSent(child, itsClient);
    await itsClient.close();
  });

  test.each(oddAmounts)("an amount written as %s is stored as it was sent", async (amount) => {
    const odd = containerOf("odd", [], {
      resourceLimits: { cpu: amount, memory: amount, "ephemeral-storage": amount },
    });
    const { blueprint } = await begin(blueprintOf({ containers: [odd, odd] }));
    for (const child of limits(blueprint)) await expectAsSent(child);
  });

  test("a revision is read back as it was recorded", async () => {
    const environment = { EMPTY: null, NUMBER: 1.5, BIG: 1e21, YES: true, TEXT: "§\u0000\n" };
    const { challenge, workload, settings } = blueprintOf({ containers: [containerOf("web", [], { environment })] });
    const manifest = revisionOf(challenge, workload, settings);
    const child = {
      type: ControllerRevisions,
      manifest: { ...manifest, metadata: { ...manifest.metadata, namespace: "default" } },
    };
    await create(child);
    const stored = await client.get(ControllerRevisions, "default", manifest.metadata.name);
    const read = readRevision(stored, settings);
    expect(read).toEqual({ challenge, workload, settings });
    expect(revisionOf(challenge, read.workload, settings).metadata.name).toBe(manifest.metadata.name);
  });

  test("players are shown the node ports that the cluster gave", async () => {
    const { blueprint, namespace } = await begin(cases["every type of port"]);
    for (const child of foundation(blueprint)) await create(child);
    const { items } = await client.list(Services, { namespace });
    const services = publicServices(
      blueprint,
      (name, port, protocol) =>
        items
          .find(({ metadata }) => metadata.name === name)
          ?.spec?.ports?.find((each) => each.port === port && each.protocol === protocol)?.nodePort,
    );
    const given = items.flatMap(({ spec }) => spec?.ports?.flatMap(({ nodePort }) => nodePort ?? []) ?? []);
    const atNodes = services.filter(({ hostname }) => hostname === blueprint.settings.domain);
    expect(atNodes.map(({ port }) => port)).toEqual(given);
  });

  test("Pod Security takes the capabilities that we call baseline, and no others", async () => {
    const { namespace: baseline } = await begin(blueprintOf());
    await serviceAccount(baseline);
    const refused: string[] = [];
    for (const name of capabilities) {
      const answer = await tryPod(baseline, { securityContext: { capabilities: { add: [name] } } });
      if (typeof answer === "string") refused.push(name);
    }
    expect(refused).toEqual(capabilities.filter((name) => !isBaselineCapability(name)));

    const vpn = containerOf("vpn", [], { additionalCapabilities: ["NET_ADMIN"] });
    const { namespace: privileged } = await begin(blueprintOf({ containers: [vpn] }));
    await serviceAccount(privileged);
    const answer = await tryPod(privileged, { securityContext: { capabilities: { add: ["NET_ADMIN"] } } });
    expect(answer).toMatchObject({ kind: "Pod" });
  });

  test("nothing runs without limits, or with more than the Challenge has, or as a load balancer", async () => {
    const large = containerOf("large", [], { resourceLimits: { memory: "1Gi" } });
    const { blueprint, namespace } = await begin(blueprintOf({ containers: [large] }));
    for (const child of limits(blueprint)) await create(child);
    await serviceAccount(namespace);
    const quotaIsCounted = async () => (await client.list(ResourceQuotas, { namespace })).items[0]?.status?.used?.pods;
    await expect.poll(quotaIsCounted, { timeout: 20_000 }).toBe("0");

    expect(await tryPod(namespace, {})).toMatchObject({
      spec: { containers: [{ resources: blueprint.settings.resources }] },
    });
    expect(await tryPod(namespace, { resources: { limits: { memory: "1025Mi" } } })).toContain("maximum memory usage");
    const loadBalancer = { type: "LoadBalancer", ports: [{ port: 80 }] };
    await expect(client.create(Services, { metadata: { namespace, name: "lb" }, spec: loadBalancer })).rejects.toThrow(
      "exceeded quota",
    );
  });

  /** Pods are refused until the namespace has it. */
  async function serviceAccount(namespace: string) {
    const found = () =>
      controlPlane.kubectl(["get", "serviceaccount", "default", "-n", namespace]).then(Boolean, () => false);
    await expect.poll(found, { timeout: 20_000 }).toBe(true);
  }
});
