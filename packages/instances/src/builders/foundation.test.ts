import { describe, expect, test } from "vitest";
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
const children = foundation(blueprint, routeTypes, { type: "kubernetes.io/dockerconfigjson", data: {} });

describe("what has to be there before the first pod", () => {
  test("is network policy, limits, pull secret, Services, routes and flag", () => {
    expect(children.map(({ type, manifest }) => `${type.kind} ${manifest.metadata.name}`)).toEqual([
      "NetworkPolicy challenge-network-policy",
      "ResourceQuota challenge-quota",
      "LimitRange challenge-limits",
      "Secret registry",
      "Service web",
      "Service game",
      "Service game-node-port",
      "HTTPRoute web-8080",
      "TLSRoute web-8443",
      "ConfigMap flag-content",
      "ConfigMap flag-executable",
    ]);
  });

  test("is all in the namespace of the instance, and marked as ours", () => {
    for (const { manifest } of children) {
      expect(manifest.metadata.namespace).toBe(`challenge-${blueprint.instance.ownerId}`);
      expect(isOurs(manifest, blueprint.instance.uid)).toBe(true);
    }
  });

  test("is the same at every attempt", () => {
    const again = foundation(structuredClone(blueprint), routeTypes, {
      type: "kubernetes.io/dockerconfigjson",
      data: {},
    });
    expect(again).toEqual(children);
  });

  test("leaves out a pull secret that there is none of", () => {
    expect(foundation(blueprint, routeTypes).some(({ type }) => type.kind === "Secret")).toBe(false);
  });
});
