/** The API server does not take what an instance is made of: each kind of refusal is told apart, shown, and got over. */
import { randomUUID } from "node:crypto";
import { isNotFound, type Stored } from "@berg/apimachinery";
import { ConfigMaps, Namespaces, ResourceQuotas } from "@berg/kube";
import { type ChallengeInstance, ChallengeInstances, Challenges, finalizers } from "@berg/resources";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Answer, Point, Seen } from "../faults/proxy.ts";
import { eventually } from "../runtime/eventually.ts";
import type { RunningController } from "./controllers.ts";
import { allowImages, refuseImages } from "./image-policy.ts";
import { conditionOf, endOf, eventsOf, isIn, isRunning, namespaceOf, Objects, type StartWorld } from "./seeing.ts";
import type { World } from "./world.ts";

export function describeRefusals(startWorld: StartWorld): void {
  let world: World;
  let controller: RunningController;
  /** What the server says instead of what it would say, by namespace. */
  const answers = new Map<string, (seen: Seen) => Answer | undefined>();

  beforeAll(async () => {
    world = await startWorld();
    await Promise.all([
      refuseImages(world.client, "deployments.invalid.example.com"),
      refuseImages(world.client, "deployments.forbidden.example.com"),
      refuseImages(world.client, "pods.forbidden.example.com"),
    ]);
    controller = await world.startController();
    controller.proxy.answer = (seen) => answers.get(seen.namespace ?? "")?.(seen);
  });
  afterAll(async () => {
    await world?.stop();
  });

  function useImage(challenge: { metadata: { name: string } }, image: string) {
    const patch = { type: "merge", body: { spec: { containers: [{ hostname: "web", image }] } } } as const;
    return world.client.patch(Challenges, world.namespace, challenge.metadata.name, patch);
  }

  async function hasNamespace(instance: Stored<ChallengeInstance>): Promise<boolean> {
    return world.client.get(Namespaces, "", namespaceOf(instance)).then(
      () => true,
      (error) => {
        if (isNotFound(error)) return false;
        throw error;
      },
    );
  }

  describe.concurrent("the API server refuses", () => {
    test("422 for good: what was made goes away again, until the Challenge is another one", async () => {
      const image = "deployments.invalid.example.com/web:1";
      const challenge = await world.challenge().container("web", { image }).create();
      const instance = await world.instance(challenge).create();
      const failed = await world.until(instance, isIn("Failed", "ManifestRefused"));
      expect(failed.status?.message).toMatch(
        /^The Deployment web cannot be made: .*images from there are not for this cluster$/,
      );
      expect(conditionOf(failed, "DeploymentsCreated")).toMatchObject({ status: "False", reason: "ManifestRefused" });
      expect(await eventsOf(world, failed, "InstanceFailed")).toContainEqual(
        expect.objectContaining({ type: "Warning", message: failed.status?.message }),
      );
      await eventually("nothing half-made is left", async () => !(await hasNamespace(instance)));
      const settled = await world.until(instance, isIn("Failed", "ManifestRefused"));
      const tried = controller.writes().length;
      await useImage(challenge, "deployments.invalid.example.com/web:2");
      await world.until(instance, ({ status }) => status?.revision !== settled.status?.revision);
      await world.until(instance, isIn("Failed", "ManifestRefused"));
      expect(controller.writes().length).toBeGreaterThan(tried);
      await eventually("nothing half-made is left again", async () => !(await hasNamespace(instance)));
      await useImage(challenge, "web:1");
      const running = await world.until(instance, isRunning);
      expect(conditionOf(running, "DeploymentsCreated")).toMatchObject({ status: "True", reason: "Created" });
      await endOf(world, running);
    });

    test("403 by a rule of the cluster: it is shown, and tried until the rule is gone", async () => {
      const name = "deployments.forbidden.example.com";
      const challenge = await world
        .challenge()
        .container("web", { image: `${name}/web:1` })
        .create();
      const instance = await world.instance(challenge).create();
      const held = await world.until(instance, isIn("Creating", "Forbidden"));
      expect(held.status?.message).toContain("The Deployment web cannot be made: ");
      expect(held.status?.message).toContain("images from there are not for this cluster");
      expect(conditionOf(held, "DeploymentsCreated")).toMatchObject({ status: "False", reason: "Forbidden" });
      await allowImages(world.client, name);
      await world.until(instance, isRunning);
    });

    test("403 by a quota: it is shown, and tried until there is room", async () => {
      const ownerId = randomUUID();
      const namespace = `challenge-${ownerId}`;
      const name = "none-at-all";
      const point = { resource: "deployments", verb: "create", name: "over-quota", when: "before" } as const;
      controller.proxy.at(point, async () => {
        const spec = { hard: { "count/deployments.apps": "0" } };
        await world.client.create(ResourceQuotas, { metadata: { namespace, name }, spec });
        await eventually("the quota is in force", async () => {
          const { status } = await world.client.get(ResourceQuotas, namespace, name);
          return status?.used !== undefined;
        });
        return undefined;
      });
      const challenge = await world.challenge().container("over-quota").create();
      const instance = await world.instance(challenge).ownedBy(ownerId).create();
      const held = await world.until(instance, isIn("Creating", "QuotaExceeded"));
      expect(held.status?.message).toContain("The Deployment over-quota cannot be made: ");
      expect(held.status?.message).toContain(`exceeded quota: ${name}`);
      expect(conditionOf(held, "DeploymentsCreated")).toMatchObject({ status: "False", reason: "QuotaExceeded" });
      await world.client.delete(ResourceQuotas, namespace, name);
      await world.until(instance, isRunning);
    });

    const statuses: [code: number, reason: string, shown: string, text: string][] = [
      [403, "Forbidden", "Forbidden", 'services is forbidden: User "berg" cannot create resource "services"'],
      [400, "BadRequest", "Refused", 'admission webhook "guard" denied the request: not today'],
      [429, "TooManyRequests", "TooManyRequests", "the API server is busy; it is tried again"],
      [500, "InternalError", "ServerError", "the API server has trouble; it is tried again"],
    ];

    test.each(statuses)("%i once in a while: it is shown, and tried again", async (code, reason, shown, text) => {
      const ownerId = randomUUID();
      let left = 4;
      answers.set(`challenge-${ownerId}`, ({ verb, resource }) => {
        if (resource !== "services" || verb !== "create" || left-- <= 0) return undefined;
        return {
          status: code,
          body: { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message: text },
        };
      });
      const challenge = await world.challenge().container("web").port(80, "internalPort").create();
      const instance = await world.instance(challenge).ownedBy(ownerId).create();
      const held = await world.until(instance, isIn("Creating", shown));
      expect(held.status?.message).toBe(`The Service web cannot be made: ${text.replace('User "berg"', "Berg")}`);
      expect(conditionOf(held, "ServicesCreated")).toMatchObject({ status: "False", reason: shown });
      const running = await world.until(instance, isRunning);
      expect(conditionOf(running, "ServicesCreated")).toMatchObject({ status: "True", reason: "Created" });
    });

    test("409 for an object of somebody else: it is left alone, and made when it is gone", async () => {
      const ownerId = randomUUID();
      const namespace = `challenge-${ownerId}`;
      const foreign = { metadata: { namespace, name: "flag-content" }, data: { mine: "yes" } };
      const point = { resource: "configmaps", verb: "create", name: "flag-content", when: "before" } as const;
      controller.proxy.at(point, async () => {
        await world.client.create(ConfigMaps, foreign);
        return undefined;
      });
      const challenge = await world
        .challenge()
        .flag({ content: { path: "/flag" } })
        .create();
      const instance = await world.instance(challenge).ownedBy(ownerId).create();
      const held = await world.until(instance, isIn("Creating", "NameConflict"));
      expect(held.status?.message).toContain("The ConfigMap flag-content cannot be made: ");
      expect(await world.client.get(ConfigMaps, namespace, "flag-content")).toMatchObject(foreign);
      await world.client.delete(ConfigMaps, namespace, "flag-content");
      await world.until(instance, isRunning);
    });
  });

  describe.concurrent("the API server refuses to", () => {
    const denied = 'admission webhook "guard" denied the request: not today';
    const body = { kind: "Status", apiVersion: "v1", status: "Failure", code: 403, reason: "Forbidden" };

    /** Again and again, until what it returns is called. */
    function refuse(point: Omit<Point, "when">): () => void {
      let allow = () => {};
      const refuseNext = () => {
        allow = controller.proxy.at({ ...point, when: "before" }, () => {
          refuseNext();
          return { status: 403, body: { ...body, message: denied } };
        });
      };
      refuseNext();
      return () => allow();
    }

    test.each([
      ["Deployment", (namespace: string) => ({ resource: "deployments", where: isWithin(namespace) })],
      ["Namespace", (name: string) => ({ resource: "namespaces", name })],
    ])("delete the %s: it is shown, and tried until it is done", async (kind, pointOf) => {
      const instance = await world.instance(await world.challenge().create()).create();
      await world.until(instance, isRunning);
      const allow = refuse({ verb: "delete", ...pointOf(namespaceOf(instance)) });
      const { namespace = "", name } = instance.metadata;
      await world.client.delete(ChallengeInstances, namespace, name);
      const isTold = (object: Stored<ChallengeInstance>) =>
        conditionOf(object, "NamespaceDeleted")?.reason === "Forbidden";
      const held = await world.until(instance, isTold);
      expect(held.status?.phase).toBe("Terminating");
      const { message = "" } = conditionOf(held, "NamespaceDeleted") ?? {};
      expect(message).toMatch(new RegExp(`^The ${kind} \\S+ cannot be deleted: ${denied}$`));
      expect(await eventsOf(world, held, "ObjectRefused")).toContainEqual(
        expect.objectContaining({ type: "Warning", message }),
      );
      allow();
      const last = await world.untilGone(instance, { within: 60_000 });
      expect(conditionOf(last, "NamespaceDeleted")).toMatchObject({ status: "True", reason: "Gone" });
    });

    const isWithin = (namespace: string) => (seen: Seen) => seen.namespace === namespace;

    test("have it held: it is shown, and tried until it is", async () => {
      const asked = world.instance(await world.challenge().create());
      const allow = refuse({ verb: "patch", resource: "challengeinstances", name: asked.manifest.metadata.name });
      const instance = await asked.create();
      const held = await world.until(instance, isIn("Pending", "Forbidden"));
      expect(held.status?.message).toBe(`The finalizer ${finalizers.controller} cannot be added: ${denied}`);
      expect(conditionOf(held, "Admitted")).toMatchObject({ status: "False", reason: "Forbidden" });
      expect(await eventsOf(world, held, "ObjectRefused")).toContainEqual(
        expect.objectContaining({ type: "Warning", message: held.status?.message }),
      );
      allow();
      const running = await world.until(instance, isRunning);
      expect(conditionOf(running, "Admitted")).toMatchObject({ status: "True", reason: "Admitted" });
    });
  });

  describe.concurrent("the cluster refuses pods", () => {
    test("by a rule: PodsRefused, and on it goes when the rule is gone", async () => {
      const name = "pods.forbidden.example.com";
      const challenge = await world
        .challenge()
        .container("web", { image: `${name}/web:1` })
        .create();
      const instance = await world.instance(challenge).create();
      const held = await world.until(instance, isIn("Starting", "PodsRefused"));
      expect(held.status?.message).toContain("Container web: the cluster refuses its pod: it is forbidden: ");
      expect(held.status?.message).toContain("images from there are not for this cluster");
      expect(conditionOf(held, "PodsReady")).toMatchObject({ status: "False", reason: "PodsRefused" });
      expect(await eventsOf(world, held, "InstanceUnhealthy")).toContainEqual(
        expect.objectContaining({ type: "Warning", message: held.status?.message }),
      );
      await allowImages(world.client, name);
      await world.until(instance, isRunning, { within: 60_000 });
    });

    test("of a runtime class that is not there: the text names it", async () => {
      const challenge = await world.challenge().container("web", { runtimeClassName: "no-such-class" }).create();
      const held = await world.until(await world.instance(challenge).create(), isIn("Starting", "PodsRefused"));
      expect(held.status?.message).toContain('RuntimeClass "no-such-class" not found');
      expect((await Objects.of(world, held)).has("Pod")).toBe(false);
    });
  });

  test("after all of them nothing was broken that must never be", () => world.check());
}
