import { type ControlPlane, missingControlPlane, startControlPlane } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { parseYaml } from "../parse/parse-yaml.ts";
import { type Ask, asking } from "../testing/ask.ts";
import { type BodyCase, bodyCases, yamlScalars } from "../testing/bodies.ts";
import { crdOf, crdPath } from "../testing/crds.ts";
import { mask, read } from "../testing/read.ts";
import { readingShape } from "../testing/shapes.ts";

const paths: Record<BodyCase["kind"], string> = {
  ConfigMap: "/api/v1/namespaces/default/configmaps",
  Pod: "/api/v1/namespaces/default/pods",
  Secret: "/api/v1/namespaces/default/secrets",
  Reading: "/apis/schema.example/v1/namespaces/default/readings",
};

describe.skipIf(await missingControlPlane())("bodies on a real API server and here", () => {
  let controlPlane: ControlPlane;
  let ask: Ask;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ controllerManager: false, scheduler: false });
    ask = asking(controlPlane);
    expect(await ask("POST", crdPath, crdOf("readings", readingShape))).toMatchObject({ code: 201 });
    await vi.waitFor(async () => expect((await ask("GET", paths.Reading)).code).toBe(200), { timeout: 30_000 });
  });

  afterAll(async () => {
    await controlPlane?.stop();
  });

  test.each(Object.entries(bodyCases))("%s", async (_, given) => {
    const { code, body } = await ask("POST", `${paths[given.kind]}?dryRun=All&fieldValidation=Strict`, given.text);
    expect(read(given)).toEqual(code < 300 ? mask(body) : body.message);
  });

  test.each(Object.entries(yamlScalars))("YAML's %s", async (text, wanted) => {
    const yaml = `apiVersion: schema.example/v1\nkind: Reading\nmetadata: {name: x}\nspec:\n  p:\n    v: ${text}\n`;
    const { body } = await ask("POST", `${paths.Reading}?dryRun=All`, yaml, "application/yaml");
    expect(body.spec.p.v).toEqual(wanted);
    expect((await parseYaml(yaml)).value).toHaveProperty(["spec", "p", "v"], wanted);
  });
});
