import { describe, expect, test } from "vitest";
import { canonical, deepFreeze } from "./fixtures.ts";
import { PatchError } from "./patch-error.ts";
import { createStrategicPatch } from "./strategic-diff.ts";
import { applyStrategicPatch } from "./strategic-patch.ts";
import { type StrategicSchema, strategicSchemaFor } from "./strategic-schema.ts";
import { strategicVectors } from "./strategic-vectors.ts";

const pods = strategicSchemaFor({ group: "", kind: "Pod" }) as StrategicSchema;
const deployments = strategicSchemaFor({ group: "apps", kind: "Deployment" }) as StrategicSchema;

describe("createStrategicPatch", () => {
  test.each([
    {
      name: "nothing",
      original: { spec: { containers: [{ name: "a" }] } },
      modified: { spec: { containers: [{ name: "a" }] } },
      want: {},
    },
    {
      name: "the one container that changed, and the order of all",
      original: { spec: { containers: [{ name: "a", image: "a:1", tty: true }, { name: "b" }] } },
      modified: { spec: { containers: [{ name: "a", image: "a:2" }, { name: "b" }] } },
      want: {
        spec: {
          containers: [{ name: "a", image: "a:2", tty: null }],
          "$setElementOrder/containers": [{ name: "a" }, { name: "b" }],
        },
      },
    },
    {
      name: "containers come, gone and moved",
      original: { spec: { containers: [{ name: "a" }, { name: "b" }, { name: "c" }] } },
      modified: { spec: { containers: [{ name: "c" }, { name: "new" }, { name: "b" }] } },
      want: {
        spec: {
          containers: [{ name: "new" }, { name: "a", $patch: "delete" }],
          "$setElementOrder/containers": [{ name: "c" }, { name: "new" }, { name: "b" }],
        },
      },
    },
    {
      name: "a list emptied and one filled",
      original: { spec: { containers: [{ name: "a" }], volumes: [] } },
      modified: { spec: { containers: [], volumes: [{ name: "v" }] } },
      want: { spec: { containers: [{ name: "a", $patch: "delete" }], volumes: [{ name: "v" }] } },
    },
    {
      name: "finalizers come and gone",
      original: { metadata: { finalizers: ["a", "b"] } },
      modified: { metadata: { finalizers: ["c", "b"] } },
      want: {
        metadata: {
          finalizers: ["c"],
          "$deleteFromPrimitiveList/finalizers": ["a"],
          "$setElementOrder/finalizers": ["c", "b"],
        },
      },
    },
    {
      name: "another source of a volume",
      original: { spec: { volumes: [{ name: "v", emptyDir: {} }] } },
      modified: { spec: { volumes: [{ name: "v", hostPath: { path: "/x" } }] } },
      want: {
        spec: {
          volumes: [{ name: "v", emptyDir: null, hostPath: { path: "/x" }, $retainKeys: ["hostPath", "name"] }],
          "$setElementOrder/volumes": [{ name: "v" }],
        },
      },
    },
    {
      name: "a list that is not merged, as a whole",
      original: { spec: { tolerations: [{ key: "a" }, { key: "b" }] } },
      modified: { spec: { tolerations: [{ key: "a" }] } },
      want: { spec: { tolerations: [{ key: "a" }] } },
    },
    {
      name: "a field gone, and a null as absence",
      original: { metadata: { labels: { a: "1" }, name: "p" } },
      modified: { metadata: { labels: null, namespace: null } },
      want: { metadata: { labels: null, name: null } },
    },
  ])("says $name", ({ original, modified, want }) => {
    expect(createStrategicPatch(deepFreeze(original), deepFreeze(modified), pods)).toEqual(want);
  });

  test("changes a deployment's strategy", () => {
    const original = { spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } } };
    const modified = { spec: { strategy: { type: "Recreate" } } };
    expect(createStrategicPatch(original, modified, deployments)).toEqual({
      spec: { strategy: { type: "Recreate", rollingUpdate: null, $retainKeys: ["type"] } },
    });
  });

  test("replaces a list whose elements cannot be told apart", () => {
    const schema = strategicSchemaFor({ group: "", kind: "Service" }) as StrategicSchema;
    const original = { spec: { ports: [{ port: 53, protocol: "UDP" }] } };
    const modified = {
      spec: {
        ports: [
          { port: 53, protocol: "UDP" },
          { port: 53, protocol: "TCP" },
        ],
      },
    };
    const patch = createStrategicPatch(original, modified, schema);
    expect(patch).toEqual({ spec: { ports: [{ $patch: "replace" }, ...modified.spec.ports] } });
    expect(applyStrategicPatch(original, patch, schema)).toEqual(modified);
  });

  test("refuses elements without their key", () => {
    const original = { spec: { containers: [{ image: "x" }] } };
    expect(() => createStrategicPatch(original, { spec: { containers: [] } }, pods)).toThrow(
      new PatchError(400, 'an element of spec.containers has no "name", by which they are told apart'),
    );
  });

  test.each(strategicVectors)("makes the same of the original as a patch that $name", (vector) => {
    const schema = strategicSchemaFor(vector) as StrategicSchema;
    const patch = createStrategicPatch(vector.original, vector.want, schema);
    expect(canonical(applyStrategicPatch(vector.original, patch, schema))).toBe(canonical(vector.want));
  });
});
