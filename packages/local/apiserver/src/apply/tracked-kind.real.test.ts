/** The structs of built-in kinds, beside what a real API server publishes of them. */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { missingControlPlane } from "../../../../../test/control-plane/binaries.ts";
import { type ControlPlane, startControlPlane } from "../../../../../test/control-plane/control-plane.ts";
import { RealServer } from "./testing/real-server.ts";
import { type TrackedKind, withStructs } from "./tracked-kind.ts";
import type { JsonObject } from "./values.ts";

interface Published {
  $ref?: string;
  allOf?: { $ref?: string }[];
  default?: unknown;
  properties?: Record<string, Published>;
  "x-kubernetes-group-version-kind"?: { group: string; kind: string; version: string }[];
}

const groups = [
  "api/v1",
  "apis/apps/v1",
  "apis/batch/v1",
  "apis/policy/v1",
  "apis/networking.k8s.io/v1",
  "apis/discovery.k8s.io/v1",
  "apis/rbac.authorization.k8s.io/v1",
  "apis/coordination.k8s.io/v1",
  "apis/apiextensions.k8s.io/v1",
  "apis/events.k8s.io/v1",
  "apis/scheduling.k8s.io/v1",
];

describe.skipIf(await missingControlPlane())("structs of built-in kinds", () => {
  let controlPlane: ControlPlane;
  let server: RealServer;
  beforeAll(async () => {
    controlPlane = await startControlPlane({ controllerManager: false, scheduler: false });
    server = new RealServer(controlPlane);
  });
  afterAll(async () => {
    server?.close();
    await controlPlane?.stop();
  });

  test.each(groups)("of %s are those that are published", async (path) => {
    // What is published is put together after the start.
    const { schemas } = await vi.waitFor(
      async () => {
        const answer = await server.ask("GET", `/openapi/v3/${path}`, "", "");
        expect(answer).toHaveProperty("components");
        return answer.components as { schemas: Record<string, Published> };
      },
      { timeout: 30_000, interval: 200 },
    );
    for (const schema of Object.values(schemas)) {
      for (const { group, kind, version } of schema["x-kubernetes-group-version-kind"] ?? []) {
        const isServedHere = path === (group === "" ? `api/${version}` : `apis/${group}/${version}`);
        if (
          !isServedHere ||
          !schema.properties?.metadata ||
          /List$|^Status$|Options$|Review$|Scale$|Token|Eviction/.test(kind)
        )
          continue;
        const ours = withStructs({ group, kind } as TrackedKind, {}) as JsonObject;
        expect(structsOnly(ours), kind).toEqual(publishedStructs(schemas, schema, true));
      }
    }
  });
});

/** A part that is a struct of its own, and not a pointer to one, is published with an empty default. */
function publishedStructs(schemas: Record<string, Published>, schema: Published, isRoot = false): JsonObject {
  const found: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const type = schemas[(property.allOf?.[0]?.$ref ?? property.$ref ?? "").split("/").at(-1) ?? ""];
    const isStruct = property.default !== undefined && type?.properties !== undefined;
    if (isStruct && type && !(isRoot && name === "metadata")) found[name] = publishedStructs(schemas, type);
  }
  return found;
}

function structsOnly(value: JsonObject): JsonObject {
  const structs = Object.entries(value).filter(([, field]) => typeof field === "object" && field !== null);
  return Object.fromEntries(structs.map(([name, field]) => [name, structsOnly(field as JsonObject)]));
}
