import { type ControlPlane, missingControlPlane, startControlPlane } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Ask, asking, causesOf } from "../testing/ask.ts";
import { crdOf, crdPath } from "../testing/crds.ts";
import { rootOf, schemaCases } from "../testing/schemas.ts";
import { structuralProblems } from "./structural-problems.ts";

/** Where it shows the whole schema, the real one does it in the words of its Go struct. */
function withoutSchema(text: string): string {
  return text.replace(/Invalid value: \{.*\}: only/, "Invalid value: {}: only");
}

describe.skipIf(await missingControlPlane())("schemas of CRDs on a real API server and here", () => {
  let controlPlane: ControlPlane;
  let ask: Ask;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ controllerManager: false, scheduler: false });
    ask = asking(controlPlane);
  });

  afterAll(async () => {
    await controlPlane?.stop();
  });

  test.each(Object.entries(schemaCases))("%s", async (_, given) => {
    const root = rootOf(given);
    const hasStatus = "hasStatus" in given && given.hasStatus === true;
    const crd = crdOf("odds", root) as { spec: { versions: object[] } };
    if (hasStatus)
      crd.spec.versions = crd.spec.versions.map((version) => ({ ...version, subresources: { status: {} } }));
    const answer = await ask("POST", `${crdPath}?dryRun=All`, crd);
    const ours = structuralProblems(root, { hasStatus });
    const told = ours.map(({ reason, field, message }) => `${reason} ${field}: ${message}`).sort();
    expect(told.map(withoutSchema)).toEqual(causesOf(answer).map(withoutSchema));
    expect(answer.code).toBe(ours.length === 0 ? 201 : 422);
  });
});
