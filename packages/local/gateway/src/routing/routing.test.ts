/** Objects in, verdicts and destinations out. */
import { makeCa } from "@berg/kube/testing/certificates";
import { describe, expect, test } from "vitest";
import type { Listener } from "../kinds.ts";
import { destinationOf } from "../proxy/destination.ts";
import {
  fromAll,
  gateway,
  gatewayClass,
  httpRoute,
  issued,
  later,
  type Objects,
  service,
  stateOf,
  tlsRoute,
  tlsSecret,
} from "../testing/objects.ts";
import { routingOf } from "./routing.ts";

const http: Listener = { name: "http", port: 80, protocol: "HTTP", ...fromAll };
const https: Listener = { name: "https", port: 443, protocol: "HTTPS", tls: issued, ...fromAll };
const tls: Listener = { name: "tls", port: 443, protocol: "TLS", tls: { mode: "Passthrough" }, ...fromAll };

const verdicts = (conditions: readonly { type: string; status: string; reason: string }[] = []) =>
  Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]));

function listenerVerdicts(listeners: Listener[], more: Objects = {}) {
  const status = routingOf(stateOf({ gateways: [gateway(listeners)], ...more })).statuses.gateways.get("infra/edge");
  return status?.listeners.map(({ conditions }) => verdicts(conditions));
}

const fine = {
  Accepted: "True Accepted",
  Programmed: "True Programmed",
  ResolvedRefs: "True ResolvedRefs",
  Conflicted: "False NoConflicts",
};

describe("a listener", () => {
  const ca = makeCa();

  test.each<[string, Listener]>([
    ["HTTP", http],
    ["HTTPS with certificates made here", https],
    ["TLS passed on", tls],
    ["TLS that ends here", { ...tls, tls: issued }],
    ["HTTPS without a mode", { ...https, tls: {} }],
  ])("of %s is served", (_, listener) => {
    expect(listenerVerdicts([listener])).toEqual([fine]);
  });

  test.each<[string, Listener, object]>([
    ["TCP", { ...http, protocol: "TCP" }, { Accepted: "False UnsupportedProtocol", Programmed: "False Invalid" }],
    ["HTTP with tls", { ...http, tls: {} }, { Accepted: "False UnsupportedValue" }],
    ["HTTPS without tls", { name: "x", port: 443, protocol: "HTTPS" }, { Accepted: "False UnsupportedValue" }],
    ["HTTPS passed on", { ...https, tls: { mode: "Passthrough" } }, { Accepted: "False UnsupportedValue" }],
    ["another mode", { ...tls, tls: { mode: "Magic" } }, { Accepted: "False UnsupportedValue" }],
    ["an option of others", { ...https, tls: { options: { "a/b": "c" } } }, { Accepted: "False UnsupportedValue" }],
    [
      "routes that do not fit",
      { ...http, allowedRoutes: { kinds: [{ kind: "TLSRoute" }] } },
      { ...fine, ResolvedRefs: "False InvalidRouteKinds" },
    ],
    [
      "a Secret that is not there",
      { ...https, tls: { certificateRefs: [{ name: "none" }] } },
      { Accepted: "True Accepted", Programmed: "False Invalid", ResolvedRefs: "False InvalidCertificateRef" },
    ],
    [
      "a Secret of another namespace",
      { ...https, tls: { certificateRefs: [{ name: "cert", namespace: "other" }] } },
      { Programmed: "False Invalid", ResolvedRefs: "False RefNotPermitted" },
    ],
    [
      "a certificate from a ConfigMap",
      { ...https, tls: { certificateRefs: [{ kind: "ConfigMap", name: "cert" }] } },
      { ResolvedRefs: "False InvalidCertificateRef" },
    ],
    [
      "two certificates",
      { ...https, tls: { certificateRefs: [{ name: "a" }, { name: "b" }] } },
      { ResolvedRefs: "False InvalidCertificateRef" },
    ],
  ])("with %s is not, and says so", (_, listener, wanted) => {
    expect(listenerVerdicts([listener])).toMatchObject([wanted]);
  });

  test("needs a Secret with a certificate and its key, and says nothing of what is in it", async () => {
    const [one, other] = [await (await ca).issue("a"), await (await ca).issue("b")];
    const listener = { ...https, tls: { certificateRefs: [{ name: "cert" }] } };
    expect(listenerVerdicts([listener], { secrets: [tlsSecret("infra/cert", one)] })).toEqual([fine]);
    const wrong = { cert: one.cert, key: other.key };
    for (const secret of [wrong, { cert: "x", key: "SECRET" }, { cert: one.cert, key: "" }]) {
      const state = stateOf({ gateways: [gateway([listener])], secrets: [tlsSecret("infra/cert", secret)] });
      const status = routingOf(state).statuses.gateways.get("infra/edge");
      expect(verdicts(status?.listeners[0]?.conditions)).toMatchObject({ ResolvedRefs: "False InvalidCertificateRef" });
      expect(JSON.stringify(status)).not.toMatch(/SECRET|BEGIN/);
    }
  });

  test("without a certificate is not served where none are made", () => {
    const verdict = { Programmed: "False Invalid", ResolvedRefs: "False InvalidCertificateRef" };
    expect(listenerVerdicts([https], { issuesCertificates: false })).toMatchObject([verdict]);
  });

  test.each<[string, Listener, Listener, string]>([
    ["the same hostname", { ...http, hostname: "a" }, { ...http, name: "b", hostname: "a" }, "HostnameConflict"],
    ["no hostname", http, { ...http, name: "b" }, "HostnameConflict"],
    ["one hostname for HTTPS and TLS", https, tls, "HostnameConflict"],
    ["one port for HTTP and TLS", http, { ...tls, port: 80 }, "ProtocolConflict"],
  ])("stands in another's way by %s: neither is served", (_, a, b, reason) => {
    const conflict = { Conflicted: `True ${reason}`, Accepted: `False ${reason}`, Programmed: "False Invalid" };
    expect(listenerVerdicts([a, b])).toMatchObject([conflict, conflict]);
  });

  test("with a hostname of its own shares its port, and is told where TLS overlaps", () => {
    const hostnames = ["*.test", "a.test", "b.example"];
    const both = hostnames.map((hostname, at) => ({ ...https, name: `l${at}`, hostname }));
    const overlap = { ...fine, OverlappingTLSConfig: "True OverlappingHostnames" };
    expect(listenerVerdicts(both)).toEqual([overlap, overlap, fine]);
  });

  test("whose port cannot be opened says why", () => {
    const status = routingOf(
      stateOf({ gateways: [gateway([http])], unavailablePorts: [[80, "it is taken"]] }),
    ).statuses;
    expect(status.gateways.get("infra/edge")?.listeners[0]?.conditions[0]).toEqual({
      type: "Accepted",
      status: "False",
      reason: "PortUnavailable",
      message: "it is taken",
    });
  });
});

describe("a Gateway", () => {
  const verdict = (objects: Objects, key = "infra/edge") =>
    verdicts(routingOf(stateOf(objects)).statuses.gateways.get(key)?.conditions);

  test.each<[string, Parameters<typeof gateway>[1], object]>([
    ["our address", { addresses: [{ type: "IPAddress", value: "127.0.0.1" }] }, { Accepted: "True Accepted" }],
    ["no address in particular", { addresses: [{ type: "IPAddress" }] }, { Accepted: "True Accepted" }],
    [
      "another address",
      { addresses: [{ value: "192.0.2.1" }] },
      { Accepted: "False UnsupportedAddress", Programmed: "False Invalid" },
    ],
    [
      "a name for address",
      { addresses: [{ type: "Hostname", value: "127.0.0.1" }] },
      { Accepted: "False UnsupportedAddress" },
    ],
    ["parameters", { infrastructure: { parametersRef: {} } }, { Accepted: "False InvalidParameters" }],
    ["client certificates", { tls: { frontend: {} } }, { Accepted: "False Invalid", Programmed: "False Invalid" }],
  ])("with %s: %j", (_, spec, wanted) => {
    expect(verdict({ gateways: [gateway([http], spec)] })).toMatchObject(wanted);
  });

  test("is served as long as one of its listeners is", () => {
    const tcp = { ...http, name: "tcp", port: 81, protocol: "TCP" };
    expect(verdict({ gateways: [gateway([http, tcp])] })).toEqual({
      Accepted: "True ListenersNotValid",
      Programmed: "True Programmed",
    });
    expect(verdict({ gateways: [gateway([tcp])] })).toEqual({
      Accepted: "False ListenersNotValid",
      Programmed: "False Invalid",
    });
  });

  test("has a port before a younger one", () => {
    const gateways = [
      later(1, gateway([{ ...http, hostname: "a" }], { key: "a/young" })),
      gateway([http], { key: "b/old" }),
    ];
    expect(verdict({ gateways }, "b/old")).toMatchObject({ Accepted: "True Accepted" });
    expect(verdict({ gateways }, "a/young")).toMatchObject({ Accepted: "False ListenersNotValid" });
    const { statuses } = routingOf(stateOf({ gateways }));
    expect(statuses.gateways.get("a/young")?.listeners[0]?.conditions[0]?.message).toBe(
      "port 80 belongs to the Gateway b/old, which is older",
    );
  });

  test("of a class that is not ours, or not accepted, is left alone", () => {
    const classes = [
      gatewayClass("local", { controllerName: "example.com/x" }),
      gatewayClass("strange", { parametersRef: {} }),
    ];
    const gateways = [gateway([http]), gateway([http], { key: "infra/two", gatewayClassName: "strange" })];
    const { statuses, table } = routingOf(stateOf({ classes, gateways }));
    expect([statuses.gateways.size, table.ports.size]).toEqual([0, 0]);
    expect([...statuses.classes].map(([name, { conditions }]) => [name, verdicts(conditions)])).toEqual([
      ["strange", { Accepted: "False InvalidParameters" }],
    ]);
  });
});

describe("a route", () => {
  const services = [service("a/web")];
  const verdict = (objects: Objects, key = "a/web") => {
    const { statuses } = routingOf(stateOf({ services, ...objects }));
    const parents = statuses.httpRoutes.get(key) ?? statuses.tlsRoutes.get(key);
    return parents?.parents.map(({ conditions }) => {
      const { Programmed: _, ...rest } = verdicts(conditions);
      return rest;
    });
  };
  const accepted = { Accepted: "True Accepted", ResolvedRefs: "True ResolvedRefs" };
  const from = (from: string, selector?: object) => ({
    ...http,
    allowedRoutes: { namespaces: { from, ...(selector && { selector }) } },
  });
  const matchLabels = { team: "red" };

  test.each<[string, Listener, Parameters<typeof httpRoute>[3], string[], string]>([
    ["all namespaces", http, undefined, ["a.test"], "True Accepted"],
    ["its own namespace alone", from("Same"), undefined, ["a.test"], "False NotAllowedByListeners"],
    ["namespaces by label", from("Selector", { matchLabels }), undefined, ["a.test"], "True Accepted"],
    [
      "namespaces of another label",
      from("Selector", { matchLabels: { team: "blue" } }),
      undefined,
      ["a.test"],
      "False NotAllowedByListeners",
    ],
    [
      "namespaces by nonsense",
      from("Selector", { matchExpressions: [{ key: "x", operator: "Near" }] }),
      undefined,
      ["a.test"],
      "False NotAllowedByListeners",
    ],
    [
      "other routes",
      { ...http, allowedRoutes: { ...fromAll.allowedRoutes, kinds: [{ kind: "GRPCRoute" }] } },
      undefined,
      ["a.test"],
      "False NotAllowedByListeners",
    ],
    ["TLS", tls, undefined, ["a.test"], "False NotAllowedByListeners"],
    [
      "another name",
      http,
      [{ name: "edge", namespace: "infra", sectionName: "other" }],
      ["a.test"],
      "False NoMatchingParent",
    ],
    ["another port", http, [{ name: "edge", namespace: "infra", port: 81 }], ["a.test"], "False NoMatchingParent"],
    [
      "its name and port",
      http,
      [{ name: "edge", namespace: "infra", sectionName: "http", port: 80 }],
      ["a.test"],
      "True Accepted",
    ],
    ["another hostname", { ...http, hostname: "*.other" }, undefined, ["a.test"], "False NoMatchingListenerHostname"],
    ["one of its hostnames", { ...http, hostname: "*.other" }, undefined, ["a.test", "a.other"], "True Accepted"],
    ["any hostname, as the route", { ...http, hostname: "*.other" }, undefined, [], "True Accepted"],
  ])("at a listener for %s: %5$s", (_, listener, parents, hostnames, wanted) => {
    const objects = {
      gateways: [gateway([listener])],
      httpRoutes: [httpRoute("a/web", hostnames, undefined, parents)],
      namespaces: { a: matchLabels },
    };
    expect(verdict(objects)).toEqual([{ ...accepted, Accepted: wanted }]);
  });

  test("of TLS needs a listener with TLS", () => {
    const tlsRoutes = [tlsRoute("a/web", ["a.test"])];
    expect(verdict({ gateways: [gateway([tls])], tlsRoutes })).toEqual([accepted]);
    expect(verdict({ gateways: [gateway([http])], tlsRoutes })).toEqual([
      { ...accepted, Accepted: "False UnsupportedValue" },
    ]);
  });

  test("to a Gateway that is none of ours, or to no Gateway, is left alone", () => {
    const parents = [{ name: "none" }, { kind: "Service", group: "", name: "edge", namespace: "infra" }];
    expect(verdict({ gateways: [gateway([http])], httpRoutes: [httpRoute("a/web", [], undefined, parents)] })).toEqual(
      [],
    );
  });

  test.each<[string, object, string]>([
    ["a Service", { name: "web", port: 80 }, "True ResolvedRefs"],
    ["no such Service", { name: "none", port: 80 }, "False BackendNotFound"],
    ["no such port", { name: "web", port: 81 }, "False BackendNotFound"],
    ["no port", { name: "web" }, "False BackendNotFound"],
    ["another namespace", { name: "web", namespace: "b", port: 80 }, "False RefNotPermitted"],
    ["another kind", { kind: "Bucket", name: "web", port: 80 }, "False InvalidKind"],
    ["a name outside", { name: "external", port: 80 }, "False InvalidKind"],
    ["UDP", { name: "udp", port: 80 }, "False UnsupportedProtocol"],
    ["HTTP/2", { name: "h2c", port: 80 }, "False UnsupportedProtocol"],
  ])("with %s behind it: %3$s", (_, ref, wanted) => {
    const services = [
      service("a/web"),
      service("b/web"),
      service("a/external", { type: "ExternalName", ports: [{ port: 80 }] }),
      service("a/udp", { ports: [{ port: 80, protocol: "UDP" }] }),
      service("a/h2c", { ports: [{ port: 80, appProtocol: "kubernetes.io/h2c" }] }),
    ];
    const httpRoutes = [httpRoute("a/web", [], [{ backendRefs: [ref as never] }])];
    expect(verdict({ gateways: [gateway([http])], httpRoutes, services })).toEqual([
      { Accepted: "True Accepted", ResolvedRefs: wanted },
    ]);
  });

  test("asks for nothing that is not done here, as a whole or in part", () => {
    const good = { backendRefs: [{ name: "web", port: 80 }] };
    const filtered = { ...good, filters: [{ type: "RequestMirror" }] };
    const asked = (rules: object[]) =>
      verdict({ gateways: [gateway([http])], httpRoutes: [httpRoute("a/web", [], rules)] });
    for (const bad of [
      filtered,
      { backendRefs: [{ name: "web", port: 80, filters: [{ type: "CORS" }] }] },
      { ...good, timeouts: { request: "1s" } },
      { ...good, matches: [{ path: { type: "RegularExpression", value: ".*" } }] },
    ]) {
      expect(asked([bad])).toEqual([{ ...accepted, Accepted: "False UnsupportedValue" }]);
      expect(asked([good, bad])).toEqual([{ ...accepted, PartiallyInvalid: "True UnsupportedValue" }]);
    }
    const state = stateOf({
      services,
      gateways: [gateway([http])],
      httpRoutes: [httpRoute("a/web", [], [good, filtered])],
    });
    const { conditions } = routingOf(state).statuses.httpRoutes.get("a/web")?.parents[0] ?? {};
    expect(conditions?.find(({ type }) => type === "PartiallyInvalid")?.message).toBe(
      "Dropped Rule: rule 1: filters of type RequestMirror are not supported",
    );
  });

  describe("is programmed", () => {
    const programmed = (objects: Objects) => {
      const { statuses } = routingOf(stateOf({ services, ...objects }));
      const [parent] = (statuses.httpRoutes.get("a/web") ?? statuses.tlsRoutes.get("a/web"))?.parents ?? [];
      const { status, reason, message } = parent?.conditions.find(({ type }) => type === "Programmed") ?? {};
      return status && `${status} ${reason} ${message}`.trim();
    };
    const routes = { gateways: [gateway([http])], httpRoutes: [httpRoute("a/web", [])] };

    test.each<[string, Objects, string | undefined]>([
      ["once a pod is ready behind it", routes, "True Programmed"],
      [
        "not before",
        { ...routes, withoutEndpoints: ["a/web"] },
        "False NoReadyEndpoints the Service a/web has no ready pod",
      ],
      [
        "also with TLS",
        { gateways: [gateway([tls])], tlsRoutes: [tlsRoute("a/web", [])], withoutEndpoints: ["a/web"] },
        "False NoReadyEndpoints the Service a/web has no ready pod",
      ],
      ["not where its Service is missing", { ...routes, services: [] }, undefined],
      ["not where no listener takes it", { ...routes, gateways: [gateway([from("Same")])] }, undefined],
    ])("%s", (_, objects, wanted) => {
      expect(programmed(objects)).toBe(wanted);
    });
  });

  test("is not accepted where the port of its listener is not open", () => {
    const unavailablePorts: Objects["unavailablePorts"] = [[80, "port 80 of 127.0.0.1 is used by another process"]];
    const objects = { gateways: [gateway([http])], httpRoutes: [httpRoute("a/web", [])], unavailablePorts };
    expect(verdict(objects)).toEqual([{ ...accepted, Accepted: "False PortUnavailable" }]);
  });

  test("is counted once by each listener that takes it", () => {
    const parents = ["http", "two"].map((sectionName) => ({ name: "edge", namespace: "infra", sectionName }));
    const { statuses } = routingOf(
      stateOf({
        gateways: [gateway([http, { ...http, name: "two", port: 81 }, { ...http, name: "three", port: 82 }])],
        httpRoutes: [
          httpRoute("a/one", [], undefined, parents),
          httpRoute("a/two", []),
          httpRoute("a/bad", [], undefined, [{ ...parents[0], name: "edge", port: 9 }]),
        ],
      }),
    );
    expect(statuses.gateways.get("infra/edge")?.listeners.map(({ attachedRoutes }) => attachedRoutes)).toEqual([
      2, 2, 1,
    ]);
  });
});

describe("a request", () => {
  const names = ["a", "b", "c", "d"];
  const services = names.map((name) => service(`x/${name}`));
  const to = (name: string, more: object = {}) => [{ backendRefs: [{ name, port: 80 }], ...more }];
  /** The name of the Service it goes to, or the status of the answer. */
  const goesTo = (objects: Objects, hostname: string, target = "/", random = 0) => {
    const { table } = routingOf(stateOf({ services, ...objects }));
    const request = { hostname, target, method: "GET", port: 80, header: () => undefined };
    const destination = destinationOf(request, {
      table: () => table,
      random: () => random,
      endpointsOf: ({ service }) => [{ address: service.slice(2), port: 80 }],
    });
    if (destination.kind === "endpoints") return destination.endpoints[0]?.address;
    return destination.kind === "refused" ? destination.status : destination.kind;
  };

  test("goes to the route with the most particular hostname", () => {
    const httpRoutes = [
      httpRoute("x/all", [], to("a")),
      httpRoute("x/wide", ["*.test"], to("b")),
      httpRoute("x/narrow", ["*.sub.test"], to("c")),
      httpRoute("x/one", ["one.sub.test"], to("d", { matches: [{ path: { type: "Exact", value: "/only" } }] })),
    ];
    const objects = { gateways: [gateway([http])], httpRoutes };
    expect(["other", "x.test", "x.sub.test", "one.sub.test"].map((host) => goesTo(objects, host, "/only"))).toEqual([
      ...names,
    ]);
    // Where its rules do not fit, the next one's may.
    expect(goesTo(objects, "one.sub.test", "/else")).toBe("c");
  });

  test("goes to the older of two routes that are equal otherwise, then by name", () => {
    const [old, young] = [httpRoute("x/z", ["a.test"], to("a")), later(1, httpRoute("x/a", ["a.test"], to("b")))];
    expect(goesTo({ gateways: [gateway([http])], httpRoutes: [young, old] }, "a.test")).toBe("a");
    const same = [httpRoute("x/z", ["a.test"], to("a")), httpRoute("x/a", ["a.test"], to("b"))];
    expect(goesTo({ gateways: [gateway([http])], httpRoutes: same }, "a.test")).toBe("b");
  });

  test("sees only the routes of its listener", () => {
    const parent = (sectionName: string) => [{ name: "edge", namespace: "infra", sectionName }];
    const gateways = [
      gateway([
        { ...http, hostname: "*.test" },
        { ...http, name: "one", hostname: "one.test" },
      ]),
    ];
    const httpRoutes = [
      httpRoute("x/wide", ["*.test"], to("a"), parent("http")),
      httpRoute("x/one", ["one.test"], to("b", { matches: [{ path: { value: "/b" } }] }), parent("one")),
    ];
    expect(goesTo({ gateways, httpRoutes }, "one.test", "/b")).toBe("b");
    expect(goesTo({ gateways, httpRoutes }, "one.test", "/")).toBe(404);
    expect(goesTo({ gateways, httpRoutes }, "two.test", "/")).toBe("a");
    expect(goesTo({ gateways, httpRoutes }, "two.other", "/")).toBe(404);
  });

  test("is drawn by weight; what is meant for a backend that is not there fails", () => {
    const backendRefs = [
      { name: "a", port: 80, weight: 1 },
      { name: "none", port: 80, weight: 2 },
      { name: "b", port: 80, weight: 0 },
      { name: "c", port: 80 },
    ];
    const objects = { gateways: [gateway([http])], httpRoutes: [httpRoute("x/w", [], [{ backendRefs }])] };
    expect([0, 0.24, 0.25, 0.74, 0.75, 0.99].map((draw) => goesTo(objects, "h", "/", draw))).toEqual([
      "a",
      "a",
      500,
      500,
      "c",
      "c",
    ]);
    const nothing = {
      gateways: [gateway([http])],
      httpRoutes: [httpRoute("x/w", [], [{ backendRefs: [{ name: "a", port: 80, weight: 0 }] }])],
    };
    expect(goesTo(nothing, "h")).toBe(500);
  });
});
