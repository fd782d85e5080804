import { describe, expect, test } from "vitest";
import { addresses } from "./addresses.ts";
import type { Child } from "./blueprint.ts";
import { foundation } from "./foundation.ts";
import { isOurs } from "./marks.ts";
import { blueprintOf, containerOf, everyPortType, routeTypes } from "./testing/blueprints.ts";

const blueprint = blueprintOf({
  containers: [
    ...everyPortType(),
    containerOf("vault", [], { dynamicFlag: { content: { path: "/flag" } } }),
    containerOf("safe", [], { dynamicFlag: { executable: { path: "/flag" } } }),
  ],
  settings: { pullSecretName: "registry" },
});
const children = foundation(blueprint, { type: "kubernetes.io/dockerconfigjson", data: {} });

const namesOf = (some: Child[]) => some.map(({ type, manifest }) => `${type.kind} ${manifest.metadata.name}`);

test("all other Services and the routes are nothing that a pod waits for", () => {
  expect(namesOf(addresses(blueprint, routeTypes))).toEqual([
    "Service web",
    "Service game",
    "HTTPRoute web-8080",
    "TLSRoute web-8443",
  ]);
});

describe("what has to be there before the first pod", () => {
  test("is network policy, limits, pull secret, ports at the nodes and flag", () => {
    expect(namesOf(children)).toEqual([
      "NetworkPolicy challenge-network-policy",
      "ResourceQuota challenge-quota",
      "LimitRange challenge-limits",
      "Secret registry",
      "Service game-node-port",
      "ConfigMap flag-content",
      "ConfigMap flag-executable",
    ]);
  });

  test("is all in the namespace of the instance, and marked as ours", () => {
    for (const { manifest } of [...children, ...addresses(blueprint, routeTypes)]) {
      expect(manifest.metadata.namespace).toBe(`challenge-${blueprint.instance.ownerId}`);
      expect(isOurs(manifest, blueprint.instance.uid)).toBe(true);
    }
  });

  test("is the same at every attempt", () => {
    const again = foundation(structuredClone(blueprint), {
      type: "kubernetes.io/dockerconfigjson",
      data: {},
    });
    expect(again).toEqual(children);
  });

  test("leaves out a pull secret that there is none of", () => {
    expect(foundation(blueprint).some(({ type }) => type.kind === "Secret")).toBe(false);
  });
});
