import { defineResource } from "@berg/apimachinery";
import { describe, expect, test } from "vitest";
import { routes } from "./routes.ts";
import { asYaml, blueprintOf, containerOf, everyPortType, routeTypes } from "./testing/blueprints.ts";

describe("the routes of an instance", () => {
  test("one for each port that players reach by a hostname", async () => {
    const blueprint = blueprintOf({ containers: everyPortType() });
    await expect(asYaml(routes(blueprint, routeTypes))).toMatchFileSnapshot("snapshots/routes.yaml");
  });

  test("none for ports that are reached otherwise", () => {
    const ports = [{ port: 80 }, { port: 81, type: "publicPort" as const }];
    expect(routes(blueprintOf({ containers: [containerOf("web", ports)] }), routeTypes)).toEqual([]);
  });

  test("one port written as tcp and as TCP has one route", () => {
    const type = "publicHttpRoute" as const;
    const ports = [
      { port: 80, protocol: "tcp", type },
      { port: 80, protocol: "TCP", type },
    ];
    expect(routes(blueprintOf({ containers: [containerOf("web", ports)] }), routeTypes)).toHaveLength(1);
  });

  test("in the version that the cluster serves", () => {
    const tlsRoute = defineResource({ ...routeTypes.tlsRoute, version: "v1alpha2" });
    const blueprint = blueprintOf({ containers: [containerOf("web", [{ port: 443, type: "publicTlsRoute" }])] });
    const [route] = routes(blueprint, { ...routeTypes, tlsRoute });
    expect(route?.manifest).toMatchObject({ apiVersion: "gateway.networking.k8s.io/v1alpha2", kind: "TLSRoute" });
  });

  test("the hostname stays when the flag is set later", () => {
    const blueprint = blueprintOf({ containers: everyPortType() });
    const unset = { ...blueprint, instance: { ...blueprint.instance, flag: "" } };
    expect(routes(unset, routeTypes)).toEqual(routes(blueprint, routeTypes));
  });
});
