import { expect, test } from "vitest";
import { lintPage } from "./lint-page.ts";
import { formatProblem } from "./problem.ts";

const manifest = (spec: object) => ({
  apiVersion: "berg.norelect.ch/v1",
  kind: "Page",
  metadata: { name: "rules" },
  spec: { path: "/rules", title: "Rules", ...spec },
});
const toldOf = (spec: object) =>
  lintPage(manifest(spec)).map((problem) => `${problem.severity}: ${formatProblem(problem)}`);

test("a script in a Page is a warning", () => {
  expect(toldOf({ content: "# Rules\n\nNo scripts, no <b>tricks</b>." })).toEqual([]);
  expect(toldOf({ content: "<SCRIPT src=x></script>" })).toEqual([
    "warning: spec.content: the <script> in it is removed when the page is shown; remove it",
  ]);
  expect(toldOf({ path: "/assets" })).toEqual([
    "error: spec.path: Invalid value: path cannot begin with /api or /assets, which the website uses itself: choose another first part",
  ]);
});
