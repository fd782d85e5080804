/** What a real server answered to the same patches. */
import { inspect } from "node:util";
import { expect, test } from "vitest";
import { PatchError } from "./patch-error.ts";
import { applyStrategicPatch } from "./strategic-patch.ts";

const schema = { containers: { mergeKey: "name" }, finalizers: { set: true } } as const;
const original = { containers: [{ name: "web" }], finalizers: ["a"], data: { flag: "secret" } };

function refusal(patch: object): PatchError {
  try {
    applyStrategicPatch(original, patch, schema);
  } catch (error) {
    if (error instanceof PatchError) return error;
    throw error;
  }
  throw new Error("want a refusal");
}

test.each<[object, number, string]>([
  [{ data: { $patch: "explode" } }, 500, 'unknown patch type: explode in map: {"$patch":"explode"}'],
  [{ data: { $patch: 1 } }, 500, 'unknown patch type: %!s(int64=1) in map: {"$patch":1}'],
  [{ data: { $patch: null } }, 500, 'unknown patch type: %!s(<nil>) in map: {"$patch":null}'],
  [{ containers: [{ name: "web", $patch: "merge" }] }, 500, "merging lists cannot yet be specified in the patch"],
  [{ containers: [{ image: "x" }] }, 500, 'map: {"image":"x"} does not contain declared merge key: name'],
  [{ containers: ["x"] }, 500, 'list element types are not identical: [[{"name":"web"}],["x"]]'],
  [{ finalizers: [{}] }, 500, 'list element types are not identical: [["a"],[{}]]'],
  [
    { "$setElementOrder/containers": [{ name: "side" }], containers: [{ name: "web" }] },
    500,
    'The order in patch list:\n[{"name":"web"}]\n doesn\'t match $setElementOrder list:\n[{"name":"side"}]\n',
  ],
  [{ "$setElementOrder/containers": "x" }, 500, "expected a []interface {}, but received a string"],
  [{ "$setElementOrder/containers": null }, 500, "expected a []interface {}, but received a %!s(<nil>)"],
  [{ $setElementOrdercontainers: [] }, 400, "invalid patch format of setElementOrder list"],
  [{ $deleteFromPrimitiveListfinalizers: [] }, 400, "invalid patch format of primitive list"],
  [{ $retainKeys: "x" }, 400, "invalid patch format of retainKeys"],
  [{ $retainKeys: ["data"], finalizers: ["b"] }, 400, "invalid patch format of retainKeys"],
])("%j", (patch, code, text) => {
  const { answer } = refusal(patch);
  expect([answer?.code, answer?.text((value) => JSON.stringify(value))]).toEqual([code, text]);
});

test("nothing of a value is in the error itself", () => {
  const error = refusal({ data: { $patch: "explode", flag: "secret" } });
  expect(inspect(error, { showHidden: true, depth: 5 })).not.toContain("secret");
});
