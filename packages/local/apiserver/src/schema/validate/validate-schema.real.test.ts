import { type ControlPlane, missingControlPlane, startControlPlane } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Json } from "../json.ts";
import { type Answer, type Ask, asking, causesOf } from "../testing/ask.ts";
import { crdOf, crdPath } from "../testing/crds.ts";
import { judge, objectOf, specOf } from "../testing/judge.ts";
import { oldValueCases } from "../testing/old-values.ts";
import { valueCases } from "../testing/values.ts";

const path = (plural: string) => `/apis/schema.example/v1/namespaces/default/${plural}`;

function told(answer: Answer) {
  if (answer.code === 422) return { code: 422, causes: causesOf(answer) };
  if (answer.code >= 300) return { code: answer.code, message: answer.body.message };
  return { code: 200, spec: answer.body.spec };
}

describe.skipIf(await missingControlPlane())("custom objects on a real API server and here", () => {
  let controlPlane: ControlPlane;
  let ask: Ask;
  const schema = specOf(Object.fromEntries(Object.entries(valueCases).map(([name, { schema }]) => [name, schema])));
  const strict = specOf(Object.fromEntries(Object.entries(oldValueCases).map(([name, { schema }]) => [name, schema])));
  const loose = specOf(Object.fromEntries(Object.entries(oldValueCases).map(([name, { before }]) => [name, before])));

  beforeAll(async () => {
    controlPlane = await startControlPlane({ controllerManager: false, scheduler: false });
    ask = asking(controlPlane);
    for (const crd of [crdOf("things", schema), crdOf("olds", loose)])
      expect((await ask("POST", crdPath, crd)).body).toHaveProperty("spec");
    await vi.waitFor(async () => expect((await ask("GET", path("olds"))).code).toBe(200), { timeout: 30_000 });
    await vi.waitFor(async () => expect((await ask("GET", path("things"))).code).toBe(200), { timeout: 30_000 });
  });

  afterAll(async () => {
    await controlPlane?.stop();
  });

  test.each(Object.entries(valueCases))("%s", async (name, { values }) => {
    for (const value of values) {
      const object = objectOf("Thing", "x", { [name]: value });
      const answer = told(await ask("POST", `${path("things")}?dryRun=All`, object));
      expect({ value, ...judge(object, schema) }).toEqual({ value, ...answer });
    }
  });

  test("objects that were stored before the schema became stricter", async () => {
    const stored = new Map<string, Json>();
    for (const [name, { old }] of Object.entries(oldValueCases)) {
      const answer = await ask("POST", path("olds"), objectOf("Old", name.toLowerCase(), { [name]: old }));
      expect(answer).toMatchObject({ code: 201 });
      stored.set(name, answer.body);
    }
    const crd = (await ask("GET", `${crdPath}/olds.schema.example`)).body;
    crd.spec.versions[0].schema.openAPIV3Schema = strict;
    expect((await ask("PUT", `${crdPath}/olds.schema.example`, crd)).code).toBe(200);
    const bad = objectOf("Old", "new", { text: "bad" });
    await vi.waitFor(async () => expect((await ask("POST", `${path("olds")}?dryRun=All`, bad)).code).toBe(422), {
      timeout: 30_000,
    });
    for (const [name, { updates }] of Object.entries(oldValueCases)) {
      const old = stored.get(name);
      if (old === undefined) throw new Error(name);
      for (const update of updates) {
        const object: Json = { ...old, spec: update };
        const answer = told(await ask("PUT", `${path("olds")}/${name.toLowerCase()}?dryRun=All`, object));
        expect({ name, update, ...judge(object, strict, old) }).toEqual({ name, update, ...answer });
      }
    }
  });
});
