import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AnyStoredObject } from "../../../registry/resource.ts";
import { type Outcome, play, texts } from "../../testing/play.ts";
import { servicesWith } from "./service.ts";
import type { Service, ServiceSpec } from "./shape.ts";

const tiny = servicesWith({ addresses: "10.1.0.0/28", nodePorts: { first: 30_000, last: 30_003 } });

const create = (spec: object, stored: AnyStoredObject[] = [], random = () => 0): Outcome =>
  play(tiny, { metadata: { name: "a" }, spec: { ports: [{ port: 80 }], ...spec } }, { stored, random });
const update = (old: AnyStoredObject, spec: object, stored: AnyStoredObject[] = [old]): Outcome =>
  play(tiny, { metadata: { name: "a" }, spec }, { old, stored });
const specOf = ({ object }: Outcome): ServiceSpec => (object as unknown as Service).spec;
const stored = (outcome: Outcome): AnyStoredObject => {
  if (!outcome.object) throw new Error(texts(outcome).join());
  return outcome.object;
};

describe("addresses", () => {
  test("are given out until the range is full, each once", () => {
    const others: AnyStoredObject[] = [];
    for (let i = 0; i < 14; i++) others.push(stored(create({}, others, () => i / 14)));
    const addresses = others.map((other) => (other as unknown as Service).spec.clusterIP);
    expect(new Set(addresses).size).toBe(14);
    expect(addresses).not.toContain("10.1.0.0");
    expect(addresses).not.toContain("10.1.0.15");
    expect(create({}, others).causes?.[0]?.message).toMatch(/range is full/);
  });

  test("are free again when their Service is gone", () => {
    const first = stored(create({ clusterIP: "10.1.0.3" }));
    expect(texts(create({ clusterIP: "10.1.0.3" }, [first]))[0]).toMatch(/provided IP is already allocated/);
    expect(specOf(create({ clusterIP: "10.1.0.3" })).clusterIP).toBe("10.1.0.3");
  });

  test("of usual size leave their first part to those who choose", () => {
    const wide = servicesWith({ addresses: "10.96.0.0/16", nodePorts: { first: 1, last: 2 } });
    const made = play(wide, { metadata: { name: "a" }, spec: { ports: [{ port: 1 }] } }, { random: () => 0 });
    expect(specOf(made).clusterIP).toBe("10.96.1.1");
  });

  test.each(["10.1.0.0", "2001:db8::/64", "10.1.0.0/30", "x/16"])("%s is no range for them", (addresses) => {
    expect(() => servicesWith({ addresses, nodePorts: { first: 1, last: 2 } })).toThrow("is not a range for Services");
  });
});

describe("node ports", () => {
  test("are given out until the range is full, each once", () => {
    const two = stored(create({ type: "NodePort", ports: [1, 2].map((port) => ({ name: `p${port}`, port })) }));
    const four = stored(create({ type: "NodePort", ports: [1, 2].map((port) => ({ name: `p${port}`, port })) }, [two]));
    const ports = [two, four].flatMap((object) =>
      (object as unknown as Service).spec.ports?.map(({ nodePort }) => nodePort),
    );
    expect(ports.sort()).toEqual([30_000, 30_001, 30_002, 30_003]);
    expect(create({ type: "NodePort" }, [two, four]).causes?.[0]?.message).toMatch(/range is full/);
  });

  test("of usual number leave their first part to those who choose", () => {
    const wide = servicesWith({ addresses: "10.96.0.0/16", nodePorts: { first: 30_000, last: 32_767 } });
    const manifest = { metadata: { name: "a" }, spec: { type: "NodePort", ports: [{ port: 1 }] } };
    expect(specOf(play(wide, manifest, { random: () => 0 })).ports?.[0]?.nodePort).toBe(30_086);
  });

  test("are one for all protocols of a port", () => {
    const ports = [
      { name: "tcp", port: 53 },
      { name: "udp", port: 53, protocol: "UDP", nodePort: 30_002 },
    ];
    expect(specOf(create({ type: "NodePort", ports })).ports?.map(({ nodePort }) => nodePort)).toEqual([
      30_002, 30_002,
    ]);
  });

  test("stay with the name of their port", () => {
    const old = stored(
      create({
        type: "NodePort",
        ports: [
          { name: "a", port: 1 },
          { name: "b", port: 2 },
        ],
      }),
    );
    const before = (old as unknown as Service).spec.ports ?? [];
    const after =
      specOf(
        update(old, {
          type: "NodePort",
          ports: [
            { name: "b", port: 3 },
            { name: "c", port: 4 },
          ],
        }),
      ).ports ?? [];
    expect(after[0]?.nodePort).toBe(before[1]?.nodePort);
    expect(before.map(({ nodePort }) => nodePort)).not.toContain(after[1]?.nodePort);
  });

  test("that an ExternalName mentions are not taken", () => {
    const port = { port: 1, nodePort: 30_001 };
    const old = stored(create({ type: "ExternalName", externalName: "a.b", ports: [port] }));
    expect(specOf(create({ type: "NodePort", ports: [port] }, [old])).ports?.[0]?.nodePort).toBe(30_001);
  });

  test("of a health check are taken, too", () => {
    const spec = { type: "LoadBalancer", externalTrafficPolicy: "Local", allocateLoadBalancerNodePorts: false };
    const old = stored(create({ ...spec, healthCheckNodePort: 30_001 }));
    expect(texts(create({ type: "NodePort", ports: [{ port: 1, nodePort: 30_001 }] }, [old]))).toEqual([
      "spec.ports[0].nodePort: Invalid value: 30001: provided port is already allocated",
    ]);
  });
});

test("the addresses of a load balancer go with it", () => {
  const made = stored(create({ type: "LoadBalancer", allocateLoadBalancerNodePorts: false }));
  const old = { ...made, status: { loadBalancer: { ingress: [{ ip: "1.2.3.4", ipMode: "VIP" }] } } } as AnyStoredObject;
  const { spec } = old as unknown as Service;
  const status = (outcome: Outcome) => outcome.object?.status;
  expect(status(update(old, { ...spec, sessionAffinity: "ClientIP" }))).toEqual(old.status);
  expect(status(update(old, { ...spec, type: "ClusterIP" }))).toEqual({ loadBalancer: {} });
});

test("whatever a Service becomes, no two have the same address or port", () => {
  const spec = fc.record(
    {
      type: fc.constantFrom("ClusterIP", "NodePort", "LoadBalancer", "ExternalName"),
      externalName: fc.constant("a.b"),
      clusterIP: fc.constantFrom("None", "10.1.0.3", "10.1.0.4"),
      externalTrafficPolicy: fc.constantFrom("Local", "Cluster"),
      ports: fc.uniqueArray(
        fc.record({
          name: fc.constantFrom("a", "b", "c"),
          port: fc.integer({ min: 1, max: 3 }),
          nodePort: fc.constantFrom(undefined, 30_000, 30_001),
        }),
        { selector: ({ name }) => name },
      ),
    },
    { requiredKeys: ["type", "ports"] },
  );
  const step = fc.record({ at: fc.nat(4), spec, random: fc.double({ min: 0, max: 0.999, noNaN: true }) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const services = new Map<number, AnyStoredObject>();
      for (const { at, spec, random } of steps) {
        const old = services.get(at);
        const all = [...services.values()];
        const place = { stored: all, random: () => random, ...(old && { old }) };
        const { object } = play(tiny, { metadata: { name: `s${at}` }, spec: structuredClone(spec) }, place);
        if (object) services.set(at, object);
        const specs = [...services.values()].map((service) => (service as unknown as Service).spec);
        const addresses = specs.flatMap(({ clusterIPs = [] }) => clusterIPs.filter((ip) => ip !== "None"));
        expect(new Set(addresses).size).toBe(addresses.length);
        const open = specs.filter(({ type }) => type === "NodePort" || type === "LoadBalancer");
        const ports = open.flatMap(({ ports = [], healthCheckNodePort }) => [
          ...new Set(ports.flatMap(({ nodePort }) => nodePort ?? [])),
          ...(healthCheckNodePort ? [healthCheckNodePort] : []),
        ]);
        expect(new Set(ports).size).toBe(ports.length);
      }
    }),
  );
});
