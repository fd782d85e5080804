import { expect, test } from "vitest";
import { play } from "../testing/play.ts";
import { customResourceDefinitions } from "./custom-resource-definition.ts";

test("a definition is stored with all that Kubernetes writes of one, and its schema as it is", () => {
  const openAPIV3Schema = { type: "object", properties: { "": { default: "" } }, required: [] };
  const version = { name: "v1", schema: { openAPIV3Schema }, subresources: { status: {} } };
  const { object } = play(customResourceDefinitions, { metadata: { name: "as.b" }, spec: { versions: [version] } });
  expect(object).toMatchObject({
    spec: {
      group: "",
      names: { plural: "", kind: "" },
      scope: "",
      versions: [{ ...version, served: false, storage: false }],
    },
    status: { conditions: null, acceptedNames: { plural: "", kind: "" }, storedVersions: null },
  });
  expect(play(customResourceDefinitions, { metadata: { name: "as.b" } }).object?.spec).toMatchObject({
    versions: null,
  });
});
