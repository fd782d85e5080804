import { describe, expect, test } from "vitest";
import type { Blueprint } from "./blueprint.ts";
import { endpointEnv, publicServices } from "./endpoints.ts";
import { routes } from "./routes.ts";
import { services } from "./services.ts";
import { blueprintOf, containerOf, everyPortType, routeTypes } from "./testing/blueprints.ts";

const blueprint = blueprintOf({ containers: everyPortType() });
const [httpHost, tlsHost] = routes(blueprint, routeTypes).map(({ manifest }) => manifest.spec.hostnames[0] ?? "");

const unknown = () => undefined;
/** Looks into the Services that are really built, as the controller does. */
function numbered(of: Blueprint) {
  const made = services(of);
  return (name: string, port: number, protocol: string) => {
    const service = made.find(({ manifest }) => manifest.metadata.name === name);
    const index = service?.manifest.spec?.ports?.findIndex((each) => each.port === port && each.protocol === protocol);
    return index === undefined || index < 0 ? undefined : 30000 + index;
  };
}

describe("the environment of every container", () => {
  test("names every named port at the address where containers really find it", () => {
    expect(endpointEnv(blueprint)).toEqual([
      { name: "WEB_ENDPOINT", value: `${httpHost}:80` },
      { name: "ADMIN_PANEL_ENDPOINT", value: `${tlsHost}:443` },
      { name: "GAME_ENDPOINT", value: "game:1337" },
      { name: "GAME_VOICE_ENDPOINT", value: "game:1337" },
      { name: "SSH_ENDPOINT", value: "game:22" },
    ]);
  });

  test("points at Services that exist", () => {
    const inside = endpointEnv(blueprint).filter(({ value }) => !value.includes("."));
    const made = services(blueprint).flatMap(({ manifest }) =>
      (manifest.spec?.ports ?? []).map(({ port }) => `${manifest.metadata.name}:${port}`),
    );
    expect(made).toEqual(expect.arrayContaining(inside.map(({ value }) => value)));
  });

  test("does not wait for node ports, and says nothing of ports without a name", () => {
    const ports = [{ port: 80 }, { port: 81, name: "" }, { port: 82, name: "nc", type: "publicPort" as const }];
    expect(endpointEnv(blueprintOf({ containers: [containerOf("web", ports)] }))).toEqual([
      { name: "NC_ENDPOINT", value: "web:82" },
    ]);
  });

  test("makes a variable's name of whatever an author calls a port", () => {
    const ports = [{ name: "my.Web site" }];
    expect(endpointEnv(blueprintOf({ containers: [containerOf("web", ports)] }))[0]?.name).toBe("MY_WEB_SITE_ENDPOINT");
  });
});

describe("what players are shown", () => {
  test("routes at their hostnames, public ports at the domain, internal ports not at all", () => {
    const atNodes = { hostname: "challenges.example.com", tls: false };
    expect(publicServices(blueprint, numbered(blueprint))).toEqual([
      { name: "web", hostname: httpHost, port: 80, protocol: "TCP", appProtocol: "http", tls: false },
      { name: "admin-panel", hostname: tlsHost, port: 443, protocol: "TCP", tls: true },
      { ...atNodes, name: "game", port: 30000, protocol: "TCP", appProtocol: "nc" },
      { ...atNodes, name: "game-voice", port: 30001, protocol: "UDP" },
    ]);
  });

  test("nothing of a port to which the cluster has not given a number yet", () => {
    expect(publicServices(blueprint, unknown).map(({ name }) => name)).toEqual(["web", "admin-panel"]);
  });

  test("a port without a name is called by its container and number", () => {
    const containers = [containerOf("web", [{ port: 8080, type: "publicHttpRoute" }])];
    expect(publicServices(blueprintOf({ containers }), unknown)[0]?.name).toBe("web-8080");
  });

  test("no more than a status can hold", () => {
    const ports = Array.from({ length: 32 }, (_, index) => ({ port: 1000 + index, type: "publicHttpRoute" as const }));
    const containers = Array.from({ length: 32 }, (_, index) => containerOf(`c${index}`, ports));
    expect(publicServices(blueprintOf({ containers }), unknown)).toHaveLength(256);
  });
});
