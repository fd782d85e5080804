/**
 * Every setting of the organiser's has an effect on what starts under it, and none on what runs already: one instance
 * with all defaults, one with everything set, and then all defaults again.
 */

import type { Stored } from "@berg/apimachinery";
import { settingsReference } from "@berg/instances";
import { Namespaces, Secrets } from "@berg/kube";
import { type ChallengeInstance, ChallengeInstances, Challenges } from "@berg/resources";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunningController } from "./controllers.ts";
import { conditionOf, endOf, isRunning, namespaceOf, Objects, RuntimeClasses, type StartWorld } from "./seeing.ts";
import type { World } from "./world.ts";

/** What is looked at: an instance that runs, its objects, and another one that was asked for after it. */
interface Sight {
  instance: Stored<ChallengeInstance>;
  objects: Objects;
  next: Stored<ChallengeInstance>;
  /** Of a Challenge that adds SYS_ADMIN. */
  capable: Stored<ChallengeInstance>;
}

interface Case {
  name: string;
  value: string;
  see: (sight: Sight) => unknown;
  byDefault: unknown;
  changed: unknown;
  /** Asked again at every look, and not a part of what an instance was started with. */
  atOnce?: true;
}

const authors = "authors";

const cases: Case[] = [
  {
    name: "CHALLENGE_NAMESPACE",
    value: authors,
    see: ({ objects }) => objects.get("Namespace").metadata.labels["berg.norelect.ch/challenge-namespace"],
    byDefault: "berg",
    changed: authors,
  },
  {
    name: "CHALLENGE_DOMAIN",
    value: "ctf.example.org",
    see: ({ instance }) => instance.status?.services?.map(({ hostname }) => hostname.replace(/^[0-9a-f]{32}\./, "")),
    byDefault: Array(3).fill("challenges.example.com"),
    changed: Array(3).fill("ctf.example.org"),
  },
  {
    name: "CHALLENGE_HTTP_PORT",
    value: "1337",
    see: ({ instance }) => instance.status?.services?.[0]?.port,
    byDefault: 80,
    changed: 1337,
  },
  {
    name: "CHALLENGE_HTTP_TLS",
    value: "true",
    see: ({ instance }) => instance.status?.services?.[0]?.tls,
    byDefault: false,
    changed: true,
  },
  {
    name: "CHALLENGE_TLS_PORT",
    value: "31337",
    see: ({ objects, instance }) => [
      instance.status?.services?.[1]?.port,
      objects.env("web").TLS_ENDPOINT?.split(":")[1],
    ],
    byDefault: [443, "443"],
    changed: [31337, "31337"],
  },
  {
    name: "GATEWAY_NAME",
    value: "edge",
    see: ({ objects }) => objects.get("HTTPRoute").spec.parentRefs[0].name,
    byDefault: "berg-gateway",
    changed: "edge",
  },
  {
    name: "GATEWAY_NAMESPACE",
    value: "traefik",
    see: ({ objects }) => objects.get("TLSRoute").spec.parentRefs[0].namespace,
    byDefault: "berg",
    changed: "traefik",
  },
  {
    name: "GATEWAY_PEER",
    value: "traefik/app=traefik",
    see: ({ objects }) => {
      const { fromEntities, fromEndpoints } = objects.get("CiliumNetworkPolicy").spec.ingress[1];
      return fromEntities ?? fromEndpoints;
    },
    byDefault: ["ingress"],
    changed: [{ matchLabels: { "k8s:io.kubernetes.pod.namespace": "traefik", "k8s:app": "traefik" } }],
  },
  {
    name: "CHALLENGE_HTTP_LISTENER_NAME",
    value: "web",
    see: ({ objects }) => objects.get("HTTPRoute").spec.parentRefs[0].sectionName,
    byDefault: "http",
    changed: "web",
  },
  {
    name: "CHALLENGE_TLS_LISTENER_NAME",
    value: "tls-chall",
    see: ({ objects }) => objects.get("TLSRoute").spec.parentRefs[0].sectionName,
    byDefault: "tls",
    changed: "tls-chall",
  },
  {
    name: "CHALLENGE_INSTANCE_TIMEOUT",
    value: "30m",
    see: ({ instance }) => Math.round(lifetimeMs(instance) / 60_000),
    byDefault: 120,
    changed: 30,
  },
  {
    name: "CHALLENGE_MAX_RENEWALS",
    value: "0",
    see: ({ instance }) => instance.status?.history?.at(-1)?.message?.replace(/;.*/, ""),
    byDefault: "Not renewed: it would add no time",
    changed: "Not renewed: instances cannot be renewed here",
    atOnce: true,
  },
  {
    name: "CHALLENGE_CAPABILITIES",
    value: "SYS_ADMIN",
    see: ({ capable }) => capable.status?.reason,
    byDefault: "ChallengeInvalid",
    // It would start, were there more room than for one.
    changed: "CapacityReached",
  },
  {
    name: "CHALLENGE_EXPIRY_WARNING",
    value: "1h",
    see: ({ instance }) => instance.status?.expiresSoon ?? false,
    byDefault: false,
    changed: true,
    atOnce: true,
  },
  {
    // One that was started before has a place, too.
    name: "MAX_INSTANCES",
    value: "2",
    see: ({ next }) => conditionOf(next, "Admitted")?.reason,
    byDefault: "Admitted",
    changed: "CapacityReached",
    atOnce: true,
  },
  resource("CHALLENGE_CPU_LIMIT", "2", "limits", "cpu", "1"),
  resource("CHALLENGE_CPU_REQUEST", "200m", "requests", "cpu", "100m"),
  resource("CHALLENGE_MEMORY_LIMIT", "1Gi", "limits", "memory", "512Mi"),
  resource("CHALLENGE_MEMORY_REQUEST", "64Mi", "requests", "memory", "128Mi"),
  resource("CHALLENGE_EPHEMERAL_STORAGE_LIMIT", "2Gi", "limits", "ephemeral-storage", "1Gi"),
  resource("CHALLENGE_EPHEMERAL_STORAGE_REQUEST", "32Mi", "requests", "ephemeral-storage", "64Mi"),
  annotation("CHALLENGE_EGRESS_BANDWIDTH", "5M", "kubernetes.io/egress-bandwidth", "10M"),
  annotation("CHALLENGE_INGRESS_BANDWIDTH", "20M", "kubernetes.io/ingress-bandwidth", "10M"),
  {
    name: "CHALLENGE_IMAGE_PULL_POLICY",
    value: "Always",
    see: ({ objects }) => objects.container("web").imagePullPolicy,
    byDefault: "IfNotPresent",
    changed: "Always",
  },
  {
    name: "CHALLENGE_RUNTIME_CLASS_NAME",
    value: "gvisor",
    see: ({ objects }) => objects.get("Deployment", "web").spec.template.spec.runtimeClassName,
    byDefault: undefined,
    changed: "gvisor",
  },
  {
    name: "PULL_SECRET_NAME",
    value: "registry",
    see: ({ objects }) => [objects.podTemplate("web").spec.imagePullSecrets, objects.has("Secret", "registry")],
    byDefault: [undefined, false],
    changed: [[{ name: "registry" }], true],
  },
  {
    name: "CHALLENGE_ADDITIONAL_HEADLESS_SERVICE",
    value: "true",
    see: ({ objects }) =>
      objects.has("Service", "web-headless") && objects.get("Service", "web-headless").spec.clusterIP,
    byDefault: false,
    changed: "None",
  },
  {
    name: "NETWORK_POLICY",
    value: "both",
    see: ({ objects }) => objects.names.filter((name) => name.includes("NetworkPolicy/")).sort(),
    byDefault: ["CiliumNetworkPolicy/challenge-network-policy"],
    changed: ["CiliumNetworkPolicy/challenge-network-policy", "NetworkPolicy/challenge-network-policy"],
  },
  {
    name: "NETWORK_DENY_CIDRS",
    value: "203.0.113.0/24",
    see: ({ objects }) => {
      const { egress } = objects.get("CiliumNetworkPolicy").spec;
      return egress.at(-1).toCIDRSet[0].except.filter((range: string) => /^(203|10)\./.test(range));
    },
    byDefault: ["10.0.0.0/8"],
    changed: ["203.0.113.0/24"],
  },
  {
    name: "FLAG_STORAGE",
    value: "Secret",
    see: ({ objects }) => [
      objects.names.filter((name) => name.endsWith("/flag-content")),
      Object.keys(objects.podTemplate("web").spec.volumes[0]),
    ],
    byDefault: [["ConfigMap/flag-content"], ["name", "configMap"]],
    changed: [["Secret/flag-content"], ["name", "secret"]],
  },
  {
    name: "CHALLENGE_ARCHITECTURE",
    value: "arm64",
    see: ({ objects }) => objects.podTemplate("tool").spec.nodeSelector["kubernetes.io/arch"] === "arm64",
    byDefault: process.arch === "arm64",
    changed: true,
  },
  {
    name: "CHALLENGE_DISRUPTION",
    value: "allow",
    see: ({ objects }) => [
      objects.has("PodDisruptionBudget"),
      objects.podTemplate("web").metadata.annotations["cluster-autoscaler.kubernetes.io/safe-to-evict"],
    ],
    byDefault: [true, "false"],
    changed: [false, "true"],
  },
];

function resource(name: string, value: string, kind: "limits" | "requests", what: string, byDefault: string): Case {
  const see = ({ objects }: Sight) => objects.container("web").resources[kind][what];
  return { name, value, see, byDefault, changed: value };
}

function annotation(name: string, value: string, key: string, byDefault: string): Case {
  const see = ({ objects }: Sight) => objects.podTemplate("web").metadata.annotations[key];
  return { name, value, see, byDefault, changed: value };
}

function lifetimeMs({ status }: ChallengeInstance): number {
  return Date.parse(status?.history?.[0]?.expiresAt ?? "") - Date.parse(status?.startedAt ?? "");
}

/** An instance before and after a controller with other settings has looked at it, and what that one wrote meanwhile. */
interface Kept {
  before: Sight;
  after: Sight;
  writes: string[];
}

export function describeSettings(startWorld: StartWorld): void {
  let world: World;

  beforeAll(async () => {
    world = await startWorld();
    const type = "kubernetes.io/dockerconfigjson";
    await Promise.all([
      world.client.create(Namespaces, { metadata: { name: authors } }),
      world.client.create(RuntimeClasses, { metadata: { name: "gvisor" }, handler: "runsc" }),
      world.client.create(Secrets, {
        metadata: { namespace: world.namespace, name: "registry" },
        type,
        data: { ".dockerconfigjson": "e30=" },
      }),
    ]);
  });
  afterAll(async () => {
    await world?.stop();
  });

  /** Starts an instance of a Challenge that uses everything, in the namespace where the controller looks for it. */
  async function start(env: Record<string, string>): Promise<Sight> {
    const namespace = env.CHALLENGE_NAMESPACE ?? world.namespace;
    const { manifest } = world
      .challenge()
      .container("web")
      .port(80, "publicHttpRoute")
      .port(443, "publicTlsRoute", { name: "tls" })
      .port(1337, "publicPort")
      .flag({ content: { path: "/flag" } })
      .container("tool")
      .flag({ executable: { path: "/get-flag" } })
      .with({ allowOutboundTraffic: true });
    await world.client.create(Challenges, { ...manifest, metadata: { ...manifest.metadata, namespace } });
    // Nobody says where the Challenge is: the controller knows.
    const challenge = { metadata: { name: manifest.metadata.name } };
    const created = await world.instance(challenge).with({ renewals: 1 }).create();
    await world.until(created, isRunning);
    const later = await world.instance(challenge).create();
    const next = await world.until(later, (one) => conditionOf(one, "Admitted") !== undefined);
    await endOf(world, later);
    const special = world.challenge().container("web", { additionalCapabilities: ["SYS_ADMIN"] }).manifest;
    await world.client.create(Challenges, { ...special, metadata: { ...special.metadata, namespace } });
    const latest = await world.instance({ metadata: { name: special.metadata.name } }).create();
    const capable = await world.until(latest, ({ status }) => status?.reason !== undefined);
    await endOf(world, latest);
    return look(created, { next, capable });
  }

  async function look(
    { metadata }: Stored<ChallengeInstance>,
    others: Pick<Sight, "next" | "capable">,
  ): Promise<Sight> {
    const instance = await world.client.get(ChallengeInstances, world.namespace, metadata.name);
    return { instance, objects: await Objects.of(world, instance), ...others };
  }

  /** Waits until the controller has nothing more to do about the instance: it answers a renewal last of all. */
  async function keep(before: Sight, controller: RunningController): Promise<Kept> {
    const { instance } = before;
    const { namespace = "", name } = instance.metadata;
    const patch = { type: "merge", body: { spec: { renewals: 2 } } } as const;
    const { metadata } = await world.client.patch(ChallengeInstances, namespace, name, patch);
    await world.until(instance, ({ status }) => status?.observedGeneration === metadata.generation);
    const after = await look(instance, before);
    const path = `/namespaces/${namespaceOf(instance)}`;
    const writes = controller.writes().filter((write) => write.path.includes(path));
    await endOf(world, instance);
    return { before, after, writes: writes.map(({ method, path }) => `${method} ${path}`) };
  }

  describe("a setting", () => {
    let usual: Sight;
    let set: Sight;
    /** Under everything set, and again under all defaults: each is changed to and fro. */
    let kept: Kept[];

    beforeAll(async () => {
      const everything = Object.fromEntries(cases.map(({ name, value }) => [name, value]));
      const first = await world.startController();
      usual = await start({});
      await first.stop();

      const second = await world.startController({ env: everything });
      set = await start(everything);
      const keptUsual = await keep(usual, second);
      await second.stop();

      const third = await world.startController();
      kept = [keptUsual, await keep(set, third)];
      await third.stop();
    });

    test.each(cases)("$name=$value has its effect, and its default another one", ({ see, byDefault, changed }) => {
      expect(see(usual)).toEqual(byDefault);
      expect(see(set)).toEqual(changed);
    });

    const recorded = cases.filter(({ atOnce }) => !atOnce);
    test.each(recorded)("$name that changes leaves what runs as it is", ({ see }) => {
      expect(kept.map(({ after }) => see(after))).toEqual([see(usual), see(set)]);
    });

    test("that changes leads to no write to what runs, and no pod is another one", () => {
      const versions = ({ objects }: Sight) =>
        objects.all.map(({ kind, metadata }) => `${kind} ${metadata.name} ${metadata.uid} ${metadata.generation}`);
      for (const { before, after, writes } of kept) {
        expect(writes).toEqual([]);
        expect(versions(after)).toEqual(versions(before));
      }
    });

    test("none is forgotten here", () => {
      expect(cases.map(({ name }) => name).sort()).toEqual(
        settingsReference()
          .map(({ name }) => name)
          .sort(),
      );
    });
  });

  test("after all of them nothing was broken that must never be", () => world.check());

  describe("network policies", () => {
    const kinds = ["CiliumNetworkPolicy", "NetworkPolicy"];
    let controller: RunningController | undefined;

    // `none` comes last: after it the watcher cannot expect policies any more.
    test.each([
      ["kubernetes", ["NetworkPolicy"], "Created"],
      ["cilium", ["CiliumNetworkPolicy"], "Created"],
      ["both", kinds, "Created"],
      ["none", [], "NotNeeded"],
    ])("NETWORK_POLICY=%s makes %j", async (value, expected, reason) => {
      controller = await world.startController({ env: { NETWORK_POLICY: value } });
      const challenge = await world.challenge().container("web").port(80, "publicPort").create();
      const instance = await world.until(await world.instance(challenge).create(), isRunning);
      await controller.stop();
      const objects = await Objects.of(world, instance);
      expect(kinds.filter((kind) => objects.has(kind))).toEqual(expected);
      expect(conditionOf(instance, "NetworkPolicyCreated")).toMatchObject({ status: "True", reason });
      if (objects.has("NetworkPolicy")) {
        const { podSelector, policyTypes } = objects.get("NetworkPolicy").spec;
        expect([podSelector, policyTypes]).toEqual([{}, ["Ingress", "Egress"]]);
      }
    });
  });
}
