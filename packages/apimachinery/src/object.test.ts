import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { keyOf, makeKey, splitKey } from "./object.ts";
import { apiVersionOf, defineResource, parseApiVersion, resourceName } from "./resource.ts";

const name = fc.stringMatching(/^[a-z0-9]([-a-z0-9.]{0,20}[a-z0-9])?$/);
const maybe = fc.oneof(fc.constant(""), name);

describe("a key", () => {
  test("names an object in its namespace, or a cluster's own", () => {
    expect(keyOf({ metadata: { namespace: "ctf", name: "web" } })).toBe("ctf/web");
    expect(keyOf({ metadata: { name: "node-1" } })).toBe("node-1");
  });

  test("can be taken apart again", () => {
    fc.assert(
      fc.property(maybe, name, (namespace, object) => {
        expect(splitKey(makeKey(namespace, object))).toEqual({ namespace, name: object });
      }),
    );
  });
});

describe("a resource", () => {
  test("has its apiVersion and its name as people write them", () => {
    const deployments = { group: "apps", version: "v1", resource: "deployments", kind: "Deployment", namespaced: true };
    expect([apiVersionOf(deployments), resourceName(deployments)]).toEqual(["apps/v1", "deployments.apps"]);
    const pods = { group: "", version: "v1", resource: "pods" };
    expect([apiVersionOf(pods), resourceName(pods)]).toEqual(["v1", "pods"]);
  });

  test("has an apiVersion that can be taken apart again", () => {
    fc.assert(
      fc.property(maybe, name, (group, version) => {
        expect(parseApiVersion(apiVersionOf({ group, version }))).toEqual({ group, version });
      }),
    );
  });

  test("cannot be changed once described", () => {
    const pods = defineResource({ group: "", version: "v1", resource: "pods", kind: "Pod", namespaced: true });
    expect(Object.isFrozen(pods)).toBe(true);
  });
});
