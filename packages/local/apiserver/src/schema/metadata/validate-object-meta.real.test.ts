import type { ObjectMeta } from "@berg/apimachinery";
import { type ControlPlane, missingControlPlane, startControlPlane } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { FieldError } from "../../errors/field-error.ts";
import { type Ask, asking, causesOf } from "../testing/ask.ts";
import { crdOf, crdPath } from "../testing/crds.ts";
import { changedMetadata, newMetadata } from "../testing/metadata.ts";
import { subdomainProblems } from "./names.ts";
import { validateObjectMeta } from "./validate-object-meta.ts";

const rules = { namespaced: true, nameProblems: subdomainProblems };
const path = "/apis/schema.example/v1/namespaces/default/metas";

function told(errors: readonly FieldError[]): string[] {
  return errors.map(({ reason, field, message }) => `${reason} ${field}: ${message}`).sort();
}

describe.skipIf(await missingControlPlane())("metadata on a real API server and here", () => {
  let controlPlane: ControlPlane;
  let ask: Ask;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ controllerManager: false, scheduler: false });
    ask = asking(controlPlane);
    await ask("POST", crdPath, crdOf("metas", { type: "object" }));
    await vi.waitFor(async () => expect((await ask("GET", path)).code).toBe(200), { timeout: 30_000 });
  });

  afterAll(async () => {
    await controlPlane?.stop();
  });

  test.each(Object.entries(newMetadata))("of a new custom object: %s", async (_, given) => {
    const metadata = { name: "x", namespace: "default", ...given } as ObjectMeta;
    const object = { apiVersion: "schema.example/v1", kind: "Meta", metadata };
    const answer = await ask("POST", `${path}?dryRun=All`, object);
    expect(told(validateObjectMeta(metadata, rules))).toEqual(causesOf(answer));
    expect(answer.code).toBe(causesOf(answer).length === 0 ? 201 : 422);
  });

  test.each(Object.entries(newMetadata))("of a new built-in object: %s", async (_, given) => {
    const metadata = { name: "x", namespace: "default", ...given } as ObjectMeta;
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata };
    const answer = await ask("POST", "/api/v1/namespaces/default/configmaps?dryRun=All", object);
    expect(told(validateObjectMeta(metadata, { ...rules, isBuiltIn: true }))).toEqual(causesOf(answer));
  });

  test.each(Object.entries(changedMetadata))("of a changed object: %s", async (name, given) => {
    const object = { apiVersion: "schema.example/v1", kind: "Meta", metadata: { name: name.replaceAll(" ", "-") } };
    const { body: stored } = await ask("POST", path, object);
    const metadata = { ...stored.metadata, ...given };
    const answer = await ask("PUT", `${path}/${object.metadata.name}?dryRun=All`, { ...stored, metadata });
    expect(told(validateObjectMeta(metadata, { ...rules, old: stored.metadata }))).toEqual(causesOf(answer));
    expect(answer.code).toBe(causesOf(answer).length === 0 ? 200 : 422);
  });

  test("finalizers added while the object is being deleted", async () => {
    const object = { apiVersion: "schema.example/v1", kind: "Meta", metadata: { name: "going", finalizers: ["a/b"] } };
    await ask("POST", path, object);
    await ask("DELETE", `${path}/going`);
    const { body: stored } = await ask("GET", `${path}/going`);
    const metadata = { ...stored.metadata, finalizers: ["a/b", "a/d", "a/c"] };
    const answer = await ask("PUT", `${path}/going`, { ...stored, metadata });
    expect(told(validateObjectMeta(metadata, { ...rules, old: stored.metadata }))).toEqual(causesOf(answer));
    expect(answer.code).toBe(422);
  });
});
