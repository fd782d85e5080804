// What stands in the snapshots is what a real API server answers: structural-problems.real.test.ts shows it.
import { describe, expect, test } from "vitest";
import { rootOf, schemaCases } from "../testing/schemas.ts";
import { structuralProblems } from "./structural-problems.ts";

describe("schemas of CRDs", () => {
  test.each(Object.entries(schemaCases))("%s", (_, given) => {
    const problems = structuralProblems(rootOf(given), { path: "schema", hasStatus: "hasStatus" in given });
    expect(problems.map(({ reason, field, message }) => `${reason} ${field}: ${message}`)).toMatchSnapshot();
  });
});
