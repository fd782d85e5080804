/** What an instance is made of, for every way in which a Challenge can be written, and what its status then says. */
import { Namespaces } from "@berg/kube";
import { ChallengeInstances, Challenges, finalizers, type InstanceService, labels, phases } from "@berg/resources";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canary } from "./cells.ts";
import type { RunningController } from "./controllers.ts";
import {
  conditionOf,
  conditionsOf,
  endOf,
  eventsOf,
  isRunning,
  namespaceOf,
  Objects,
  RuntimeClasses,
  type StartWorld,
} from "./seeing.ts";
import type { World } from "./world.ts";

const domain = "challenges.example.com";
const baseline = "pod-security.kubernetes.io/enforce";

export function describeLives(startWorld: StartWorld): void {
  let world: World;
  let controller: RunningController;

  beforeAll(async () => {
    world = await startWorld();
    await world.client.create(RuntimeClasses, { metadata: { name: "gvisor" }, handler: "runsc" });
    controller = await world.startController();
  });
  afterAll(async () => {
    await world?.stop();
  });

  /** An instance that runs, and all its objects. */
  async function live(challenge: { metadata: { namespace?: string; name: string } }, flag?: string) {
    const asked = world.instance(challenge);
    const instance = await (flag === undefined ? asked : asked.flag(flag)).create();
    const running = await world.until(instance, isRunning);
    return { instance: running, services: running.status?.services, objects: await Objects.of(world, running) };
  }

  describe.concurrent("a life", () => {
    test("is logged from its start to its end, and its flag is not", async () => {
      const challenge = await world
        .challenge()
        .container("web")
        .flag({ content: { path: "/flag" } })
        .create();
      const { instance } = await live(challenge, canary);
      await endOf(world, instance);
      const { metadata, spec, status } = instance;
      const lines = controller.output.filter((line) => line.includes(`"${metadata.namespace}/${metadata.name}"`));
      const entries = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === "info");
      const subject = { owner: spec.ownerId, challenge: spec.challengeRef.name, instanceId: status?.instanceId };
      for (const entry of entries) expect(entry).toMatchObject(subject);
      const changes = entries.map(({ phase, reason }) => phase ?? reason);
      expect(changes.filter((one) => one !== "Starting")).toEqual([
        ...["Started", "Creating", "Running", "Terminating", "Terminated"],
      ]);
      const byPhase = (phase: string) => entries.find((entry) => entry.phase === phase);
      expect(byPhase("Running")).toMatchObject({ secondsToRunning: expect.any(Number) });
      expect(byPhase("Terminated")).toMatchObject({
        ...{ terminationReason: "UserRequest", lifetimeSeconds: expect.any(Number) },
      });
      expect(controller.output.join("\n")).not.toContain(canary);
      const [start] = controller.output.filter((line) => line.includes("instance controller starts"));
      expect(JSON.parse(start ?? "{}")).toMatchObject({
        version: expect.stringMatching(/^\d/),
        settings: { maxInstances: 0, expiry: { timeout: "2h0m0s" }, build: { domain } },
      });
    });

    test("goes from nothing to Running to nothing, and everybody can read how", async () => {
      const challenge = await world
        .challenge()
        .container("web")
        .port(80, "publicHttpRoute")
        .flag({ env: { name: "FLAG" } })
        .create();
      const { instance } = await live(challenge);
      const { status, metadata } = instance;
      expect(conditionsOf(instance)).toEqual([
        "Admitted=True/Admitted",
        "ChallengeFound=True/Found",
        "DeploymentsCreated=True/Created",
        "FlagValidation=True/FlagGiven",
        "Healthy=True/Ready",
        "NamespaceCreated=True/Created",
        "NetworkPolicyCreated=True/Created",
        "PodsReady=True/Ready",
        "RoutesCreated=True/Created",
        "ServicesCreated=True/Created",
      ]);
      expect(status).toMatchObject({ observedGeneration: metadata.generation, namespace: namespaceOf(instance) });
      expect(new Set(status?.conditions?.map((one) => one.observedGeneration))).toEqual(new Set([metadata.generation]));
      expect(status?.reason).toBeUndefined();
      expect(metadata.finalizers).toContain(finalizers.controller);
      const lasts = Date.parse(status?.expiresAt ?? "") - Date.parse(status?.startedAt ?? "");
      expect([7_200_000, 7_201_000]).toContain(lasts); // times are whole seconds, and no player loses one
      expect(Date.parse(status?.readyAt ?? "")).toBeGreaterThanOrEqual(Date.parse(status?.startedAt ?? ""));

      const gone = await endOf(world, instance);
      expect(gone.status).toMatchObject({ phase: "Terminated", terminationReason: "UserRequest" });
      expect(gone.status?.terminatedAt).toBeDefined();
      expect(gone.status?.services).toBeUndefined();
      expect(conditionOf(gone, "NamespaceDeleted")).toMatchObject({ status: "True", reason: "Gone" });
      expect(gone.status?.conditions).toHaveLength(11);
      await expect(world.client.get(Namespaces, "", namespaceOf(instance))).rejects.toThrow("not found");
      expect(await eventsOf(world, instance, "InstanceTerminating")).toEqual([
        { type: "Normal", reason: "InstanceCreating", message: "Creating challenge instance" },
        { type: "Normal", reason: "InstanceReady", message: "Instance ready and accessible" },
        { type: "Normal", reason: "InstanceTerminating", message: "Terminating due to the request of its owner" },
      ]);
    });

    test("three containers all find the addresses of all named ports", async () => {
      const challenge = await world
        .challenge()
        .container("web", { environment: { DEBUG: true, LEVEL: 3, EMPTY: null, COST: "$(PATH)" } })
        .port(8080, "publicHttpRoute", { name: "web" })
        .container("db")
        .port(5432, "internalPort", { name: "admin-db" })
        .port(9000, "internalPort")
        .container("game")
        .port(1337, "publicPort", { name: "game" })
        .port(1337, "publicPort", { name: "voice", protocol: "UDP" })
        .port(4433, "publicTlsRoute", { name: "tls" })
        .create();
      const { instance, services, objects } = await live(challenge);
      const [web, game, voice, tls] = services ?? [];
      expect([web?.name, game?.name, voice?.name, tls?.name]).toEqual(["web", "game", "voice", "tls"]);
      const endpoints = {
        WEB_ENDPOINT: `${web?.hostname}:80`,
        ADMIN_DB_ENDPOINT: "db:5432",
        GAME_ENDPOINT: "game:1337",
        VOICE_ENDPOINT: "game:1337",
        TLS_ENDPOINT: `${tls?.hostname}:443`,
        CHALLENGE_NAMESPACE: namespaceOf(instance),
      };
      expect(objects.env("db")).toEqual(endpoints);
      expect(objects.env("game")).toEqual(endpoints);
      expect(objects.env("web")).toEqual({ COST: "$$(PATH)", DEBUG: "true", EMPTY: "", LEVEL: "3", ...endpoints });
      expect(objects.names.sort()).toEqual([
        "CiliumNetworkPolicy/challenge-network-policy",
        "Deployment/db",
        "Deployment/game",
        "Deployment/web",
        "HTTPRoute/web-8080",
        "LimitRange/challenge-limits",
        `Namespace/${namespaceOf(instance)}`,
        "PodDisruptionBudget/db",
        "PodDisruptionBudget/game",
        "PodDisruptionBudget/web",
        "ResourceQuota/challenge-quota",
        "Service/db",
        "Service/game",
        "Service/game-node-port",
        "Service/web",
        "TLSRoute/game-4433",
      ]);
      expect(new Set(objects.all.map(({ metadata }) => metadata.labels?.[labels.instanceUid]))).toEqual(
        new Set([instance.metadata.uid]),
      );
      expect(objects.all.filter(({ kind }) => kind === "Pod")).toHaveLength(3);
    });

    test("a container without ports needs no Service and no route", async () => {
      const { instance, services, objects } = await live(await world.challenge().container("bot").create());
      expect(services).toEqual([]);
      expect(objects.has("Service")).toBe(false);
      expect(conditionOf(instance, "ServicesCreated")).toMatchObject({ status: "True", reason: "NotNeeded" });
      expect(conditionOf(instance, "RoutesCreated")).toMatchObject({ status: "True", reason: "NotNeeded" });
      expect(conditionOf(instance, "FlagValidation")).toMatchObject({ status: "True", reason: "FlagNotNeeded" });
    });

    test("its creator may choose its id, and its Challenge may be kept in another namespace", async () => {
      const namespace = "other-authors";
      await world.client.create(Namespaces, { metadata: { name: namespace } });
      const manifest = world.challenge().container("web").manifest;
      const challenge = { ...manifest, metadata: { ...manifest.metadata, namespace } };
      await world.client.create(Challenges, challenge);
      const id = "0191e7a4-5f0c-7b3e-9d2a-4c6f8e1b2a3d";
      const created = await world.instance(challenge).withId(id).create();
      const instance = await world.until(created, isRunning);
      expect(instance.status?.instanceId).toBe(id);
      const { metadata } = (await Objects.of(world, instance)).get("Namespace");
      expect(metadata.labels).toMatchObject({
        [labels.instanceId]: id,
        [labels.challengeNamespace]: namespace,
        [labels.ownerId]: instance.spec.ownerId,
      });
    });

    test("the longest name of a Challenge fits, cut in labels and whole in an annotation", async () => {
      const name = `${"c".repeat(62)}.x`;
      const { objects } = await live(await world.challenge(name).container("web").create());
      const { metadata } = objects.get("Namespace");
      expect(name).toHaveLength(64);
      expect(metadata.labels[labels.challenge].length).toBeLessThanOrEqual(63);
      expect(metadata.annotations["berg.norelect.ch/challenge-name"]).toBe(name);
    });
  });

  describe.concurrent("a port", () => {
    type Expected = Omit<InstanceService, "hostname" | "port"> & { hostname?: string; port?: number };
    const alone: [what: string, type: string, fields: Record<string, unknown>, expected: Expected | undefined][] = [
      ["internalPort", "internalPort", { name: "db" }, undefined],
      [
        "publicPort over TCP",
        "publicPort",
        { name: "pwn", appProtocol: "nc" },
        { name: "pwn", hostname: domain, protocol: "TCP", appProtocol: "nc", tls: false },
      ],
      [
        "publicPort over UDP",
        "publicPort",
        { protocol: "udp" },
        { name: "web-4000", hostname: domain, protocol: "UDP", tls: false },
      ],
      [
        "publicHttpRoute",
        "publicHttpRoute",
        { name: "shop", appProtocol: "http" },
        { name: "shop", port: 80, protocol: "TCP", appProtocol: "http", tls: false },
      ],
      ["publicTlsRoute", "publicTlsRoute", {}, { name: "web-4000", port: 443, protocol: "TCP", tls: true }],
    ];

    test.each(alone)("of type %s alone is shown as it is reached", async (_, type, fields, expected) => {
      const challenge = await world.challenge().container("web").port(4000, type, fields).create();
      const { services, objects } = await live(challenge);
      const own = objects.get("Service", "web").spec;
      const protocol = fields.protocol === "udp" ? "UDP" : "TCP";
      expect(own.ports).toMatchObject([{ name: "port-4000", port: 4000, targetPort: 4000, protocol }]);
      if (!expected) {
        expect(services).toEqual([]);
        expect(objects.names.filter((name) => /Service|Route/.test(name))).toEqual(["Service/web"]);
        return;
      }
      const address = type === "publicPort" ? nodeAddress(objects) : routeAddress(objects);
      expect(services).toEqual([{ ...expected, ...address }]);
      expect(services).toMatchObject([expected]);
    });

    function nodeAddress(objects: Objects) {
      const [{ nodePort }] = objects.get("Service", "web-node-port").spec.ports;
      expect(nodePort).toBeGreaterThanOrEqual(30_000);
      return { hostname: domain, port: nodePort };
    }

    function routeAddress(objects: Objects) {
      const kind = objects.has("HTTPRoute") ? "HTTPRoute" : "TLSRoute";
      const { metadata, spec } = objects.get(kind, "web-4000");
      const [hostname] = spec.hostnames;
      expect(hostname).toMatch(/^[0-9a-f]{32}\.challenges\.example\.com$/);
      expect(hostname).toBe(`${metadata.labels[labels.hostname]}.${domain}`);
      expect(spec.rules[0].backendRefs).toMatchObject([{ name: "web", port: 4000 }]);
      const sectionName = kind === "HTTPRoute" ? "http" : "tls";
      expect(spec.parentRefs).toMatchObject([{ name: "berg-gateway", namespace: "berg", sectionName }]);
      return { hostname, port: kind === "HTTPRoute" ? 80 : 443 };
    }

    test("of each type is shown in the Challenge's order where a container has them all", async () => {
      const challenge = await world
        .challenge()
        .container("web")
        .port(1, "publicTlsRoute", { name: "tls" })
        .port(2, "publicPort", { name: "tcp", protocol: "TCP" })
        .port(2, "publicPort", { name: "udp", protocol: "UDP" })
        .port(3, "internalPort", { name: "hidden" })
        .port(4, "publicHttpRoute", { name: "http" })
        .create();
      const { services, objects } = await live(challenge);
      const [tcp, udp] = objects.get("Service", "web-node-port").spec.ports;
      expect(services).toEqual([
        { name: "tls", hostname: services?.[0]?.hostname, port: 443, protocol: "TCP", tls: true },
        { name: "tcp", hostname: domain, port: tcp.nodePort, protocol: "TCP", tls: false },
        { name: "udp", hostname: domain, port: udp.nodePort, protocol: "UDP", tls: false },
        { name: "http", hostname: services?.[3]?.hostname, port: 80, protocol: "TCP", tls: false },
      ]);
      expect(objects.get("Service", "web").spec.ports).toHaveLength(4 + 1);
      expect(services?.[0]?.hostname).not.toBe(services?.[3]?.hostname);
    });
  });

  describe.concurrent("a flag", () => {
    const flag = 'flag{"$(HOME)" $$ %n 🚩}';

    test("comes in the environment", async () => {
      const { objects } = await live(
        await world
          .challenge()
          .flag({ env: { name: "FLAG" } })
          .create(),
        flag,
      );
      expect(objects.env("web").FLAG).toBe(flag.replaceAll("$", "$$$$"));
      expect(objects.has("ConfigMap") || objects.has("Secret")).toBe(false);
    });

    test("comes in a file whose name nobody can guess", async () => {
      const content = { path: "/home/{entropy}/flag.txt", mode: "0440" };
      const { objects } = await live(await world.challenge().flag({ content }).create(), flag);
      const stored = objects.get("ConfigMap", "flag-content").binaryData.content;
      expect(Buffer.from(stored, "base64").toString()).toBe(`${flag}\n`);
      const { volumes } = objects.podTemplate("web").spec;
      expect(volumes).toMatchObject([
        { configMap: { name: "flag-content", items: [{ key: "content", mode: 0o440 }] } },
      ]);
      const [mount] = objects.container("web").volumeMounts;
      expect(mount).toMatchObject({
        mountPath: expect.stringMatching(/^\/home\/[0-9a-f]{12}\/flag\.txt$/),
        readOnly: true,
      });
    });

    test("comes as a program that can be run and not be read", async () => {
      const executable = { path: "/usr/bin/get-flag" };
      const { objects } = await live(await world.challenge().flag({ executable }).create(), flag);
      const stored = Buffer.from(objects.get("ConfigMap", "flag-executable").binaryData.executable, "base64");
      expect(stored.subarray(0, 4).toString("latin1")).toBe("\x7fELF");
      expect(stored.includes(flag)).toBe(false);
      const { volumes, nodeSelector } = objects.podTemplate("web").spec;
      expect(volumes[0].configMap.items).toMatchObject([{ key: "executable", mode: 0o111 }]);
      expect(nodeSelector).toHaveProperty(["kubernetes.io/arch"]);
      expect(objects.container("web").securityContext.capabilities).toEqual({ drop: ["DAC_OVERRIDE"] });
    });

    test("comes to each container in its own way, and to one that wants none not at all", async () => {
      const challenge = await world
        .challenge()
        .container("by-env")
        .flag({ env: { name: "SECRET" } })
        .container("by-file")
        .flag({ content: { path: "/flag" } })
        .container("by-program")
        .flag({ executable: { path: "/get-flag" } })
        .container("by-file-too")
        .flag({ content: { path: "/srv/flag", mode: 0o400 } })
        .container("bystander")
        .create();
      const { objects } = await live(challenge, flag);
      expect(objects.env("by-env").SECRET).toBe(flag.replaceAll("$", "$$$$"));
      const mounts = ["by-env", "by-file", "by-program", "by-file-too", "bystander"].map((name) =>
        (objects.container(name).volumeMounts ?? []).map(({ mountPath }: { mountPath: string }) => mountPath),
      );
      expect(mounts).toEqual([[], ["/flag"], ["/get-flag"], ["/srv/flag"], []]);
      expect(objects.names.filter((name) => name.startsWith("ConfigMap"))).toEqual([
        "ConfigMap/flag-content",
        "ConfigMap/flag-executable",
      ]);
      expect(JSON.stringify(objects.podTemplate("bystander"))).not.toContain("flag{");
    });
  });

  describe.concurrent("isolation", () => {
    const toTheInternet = { toCIDRSet: expect.arrayContaining([expect.objectContaining({ cidr: "0.0.0.0/0" })]) };

    test.each([
      [true, "reaches the internet, and nothing private"],
      [false, "reaches nothing but itself, its routes and names"],
    ])("with allowOutboundTraffic: %s it %s", async (allowOutboundTraffic) => {
      const challenge = await world.challenge().container("web").with({ allowOutboundTraffic }).create();
      const { objects } = await live(challenge);
      const { egress, ingress } = objects.get("CiliumNetworkPolicy").spec;
      const expected = expect.arrayContaining([toTheInternet]);
      expect(egress).toEqual(allowOutboundTraffic ? expected : expect.not.arrayContaining([toTheInternet]));
      const denied = egress.flatMap(({ toCIDRSet = [] }) =>
        toCIDRSet.flatMap(({ except }: { except: string[] }) => except),
      );
      expect(denied.includes("169.254.0.0/16")).toBe(allowOutboundTraffic);
      const names = egress[0].toPorts[0].rules?.dns;
      if (allowOutboundTraffic) expect(names).toBeUndefined();
      else expect(names).toContainEqual({ matchPattern: `*.${domain}.` });
      expect(ingress).toEqual([{ fromEndpoints: [{}] }]);
    });

    test("follows what the author asks of a runtime class, bandwidth and resources", async () => {
      const challenge = await world
        .challenge()
        .container("web", {
          runtimeClassName: "gvisor",
          egressBandwidth: "1M",
          ingressBandwidth: "2M",
          resourceLimits: { cpu: "2", memory: "1Gi" },
          resourceRequests: { cpu: "250m" },
        })
        .create();
      const { objects } = await live(challenge);
      const { metadata, spec } = objects.podTemplate("web");
      expect(spec.runtimeClassName).toBe("gvisor");
      expect(metadata.annotations).toMatchObject({
        "kubernetes.io/egress-bandwidth": "1M",
        "kubernetes.io/ingress-bandwidth": "2M",
      });
      expect(objects.container("web").resources).toEqual({
        limits: { cpu: "2", memory: "1Gi", "ephemeral-storage": "1Gi" },
        requests: { cpu: "250m", memory: "128Mi", "ephemeral-storage": "64Mi" },
      });
      expect(objects.get("ResourceQuota").spec.hard).toMatchObject({
        "limits.cpu": "4",
        "limits.memory": "2Gi",
        pods: "2",
      });
      expect(objects.get("Pod").spec.runtimeClassName).toBe("gvisor");
    });

    test("is baseline for usual capabilities, and privileged only where a Challenge needs it, which is told", async () => {
      const usual = world.challenge().container("web", { additionalCapabilities: ["KILL"] });
      const special = world.challenge().container("vpn", { additionalCapabilities: ["NET_ADMIN"] });
      const [one, other] = await Promise.all([live(await usual.create()), live(await special.create())]);
      expect(one.objects.get("Namespace").metadata.labels[baseline]).toBe("baseline");
      expect(other.objects.get("Namespace").metadata.labels[baseline]).toBe("privileged");
      expect(other.objects.get("Pod").spec.containers[0].securityContext.capabilities).toEqual({ add: ["NET_ADMIN"] });
      const told = await eventsOf(world, other.instance, "PrivilegedNamespace");
      expect(told.find(({ reason }) => reason === "PrivilegedNamespace")).toEqual({
        type: "Warning",
        reason: "PrivilegedNamespace",
        message: `The namespace ${namespaceOf(other.instance)} admits privileged pods: the Challenge adds capabilities that need it`,
      });
      const quiet = await eventsOf(world, one.instance, "InstanceReady");
      expect(quiet.map(({ reason }) => reason)).not.toContain("PrivilegedNamespace");
    });
  });

  test("a controller that starts anew counts all of them at once", async () => {
    await controller.stop();
    const next = await world.startController();
    await live(await world.challenge().create());
    await next.stop();
    const { items } = await world.client.listAll(ChallengeInstances, { namespace: world.namespace });
    const figures = metricsOf(next);
    for (const phase of phases) {
      const count = items.filter(({ status }) => status?.phase === phase).length;
      expect([phase, figures.get(`berg_challengeinstance_active{phase="${phase}"}`)]).toEqual([phase, count]);
    }
    expect(items.filter(({ status }) => status?.phase === "Running").length).toBeGreaterThan(10);
    expect(figures.get("berg_challengeinstance_total")).toBe(1);
    expect(figures.get("berg_challengeinstance_reconcile_duration_seconds_count")).toBeGreaterThan(10);
    expect([...figures.keys()]).toEqual(
      expect.arrayContaining([
        "berg_challengeinstance_reconcile_errors_total",
        "berg_challengeinstance_timeouts_total",
        "berg_challengeinstance_duration_seconds_count",
      ]),
    );
  });

  test("after all of them nothing was broken that must never be", () => world.check());
}

/** What a controller that has ended showed last, by the name and the labels of each figure. */
function metricsOf({ output }: RunningController): Map<string, number> {
  const lines = (output.at(-1) ?? "").split("\n").filter((line) => line.startsWith("berg_"));
  return new Map(lines.map((line) => [line.replace(/ [^ ]*$/, ""), Number(line.split(" ").at(-1))]));
}
