import { setTimeout as delay } from "node:timers/promises";
import { applyMergePatch } from "@berg/apimachinery";
import fc from "fast-check";
import { afterAll, beforeAll, describe, test } from "vitest";
import { missingControlPlane } from "../../../../../test/control-plane/binaries.ts";
import { type ControlPlane, startControlPlane } from "../../../../../test/control-plane/control-plane.ts";
import type { Schema } from "../schema/schema.ts";
import { configMaps, deployments, services, widgetDefinition, widgets } from "./testing/kinds.ts";
import { Player, type Step } from "./testing/play.ts";
import { configMapBody, deploymentBody, serviceBody, steps, widgetBody } from "./testing/random-steps.ts";
import { RealServer } from "./testing/real-server.ts";
import { type Recording, writeRecordings } from "./testing/recording.ts";
import { deployment, objectName, scenarios, service } from "./testing/scenarios.ts";
import type { TrackedKind } from "./tracked-kind.ts";
import type { JsonObject } from "./values.ts";

const runs = Number(process.env.APPLY_RUNS ?? 40);

describe.skipIf(await missingControlPlane())("server-side apply and managedFields, beside a real API server", () => {
  let controlPlane: ControlPlane;
  let server: RealServer;
  let count = 0;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ controllerManager: false, scheduler: false });
    server = new RealServer(controlPlane);
    const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    await server.ask("POST", definitions, "application/json", widgetDefinition);
    while ((await server.ask("GET", "/apis/apply.berg.test/v1/namespaces/default/widgets", "", "")).kind === "Status") {
      await delay(100);
    }
  });
  afterAll(async () => {
    server?.close();
    await controlPlane?.stop();
  });

  async function play(kind: TrackedKind, steps: readonly Step[], name = `play-${count++}`): Promise<JsonObject[]> {
    const player = new Player(server, kind, name);
    const answers: JsonObject[] = [];
    for (const step of steps) answers.push(await player.play(step));
    return answers;
  }

  describe("requests by hand", () => {
    const recordings: Recording[] = [];
    afterAll(() => {
      if (process.env.APPLY_RECORD) writeRecordings(recordings);
    });

    test.each(scenarios)("$name", async ({ name, kind, steps }) => {
      recordings.push({ scenario: name, answers: await play(kind, steps, objectName(name)) });
    });
  });

  const all: Step["verb"][] = ["apply", "apply", "apply", "patch", "update"];
  const partial: Step["verb"][] = ["apply", "apply", "patch"];
  const withStatus: ("" | "status")[] = ["", "", "", "status"];

  test("random requests on config maps", () => random(configMaps, {}, steps(configMapBody, all, [""])));
  test("random requests on custom objects", () => random(widgets, {}, steps(widgetBody, all, withStatus)));
  test("random requests on deployments", () =>
    random(deployments, deployment, steps(deploymentBody, partial, withStatus)));
  test("random requests on services", () => random(services, service, steps(serviceBody, partial, [""])));

  test("what was owned in parts is owned as one when the schema says so", async () => {
    const definition = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.apply.berg.test";
    const schema = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties";
    const name = `play-${count++}`;
    const player = new Player(server, widgets, name);
    await player.play({ verb: "apply", manager: "a", body: { spec: { tags: ["a"], inner: { a: "1" }, size: 1 } } });
    await player.play({ verb: "apply", manager: "b", body: { spec: { tags: ["b"], inner: { deep: { b: "1" } } } } });
    const atomic = [
      { op: "replace", path: `${schema}/tags/x-kubernetes-list-type`, value: "atomic" },
      { op: "add", path: `${schema}/inner/x-kubernetes-map-type`, value: "atomic" },
    ];
    await server.ask("PATCH", definition, "application/json-patch+json", atomic);
    const { spec, ...others } = widgets.schema.properties ?? {};
    const { tags, inner, ...rest } = spec?.properties ?? {};
    const properties: Record<string, Schema> = {
      ...rest,
      tags: { ...tags, "x-kubernetes-list-type": "atomic" },
      inner: { ...inner, "x-kubernetes-map-type": "atomic" },
    };
    const changed = {
      ...widgets,
      schema: { type: "object" as const, properties: { ...others, spec: { ...spec, properties } } },
    };
    await delay(1000);
    const after = player.as(changed);
    await after.play({ verb: "patch", manager: "c", body: { spec: { size: 2 } } });
    await after.play({ verb: "apply", manager: "a", body: { spec: { size: 2 } } });
  });

  /** `base` is what the kind cannot do without. */
  async function random(kind: TrackedKind, base: JsonObject, steps: fc.Arbitrary<Step[]>) {
    const first = fc.constantFrom("create" as const, "apply" as const);
    await fc.assert(
      fc.asyncProperty(first, steps, async (verb, [start, ...rest]) => {
        const body = applyMergePatch({ ...start?.body }, base) as JsonObject;
        await play(kind, [{ verb, manager: "one", body }, ...rest]);
      }),
      { numRuns: runs },
    );
  }
});
