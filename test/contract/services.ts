/** Services: addresses and ports are given out once each. */
import { expect, test } from "vitest";
import type { Given } from "./given.ts";
import { said } from "./wire.ts";

export function services(given: Given): void {
  const path = () => `/api/v1/namespaces/${given.namespace}/services`;
  const post = (name: string, spec: object) => given.ask("POST", path(), { body: { metadata: { name }, spec } });
  const merge = "application/merge-patch+json";
  const patch = (name: string, body: object) => given.ask("PATCH", `${path()}/${name}`, { body, type: merge });
  const ports = [{ port: 80 }];

  test("is given an address, and every default", async () => {
    const { body } = await post("one", { ports, selector: { app: "x" } });
    expect(body.spec).toEqual({
      clusterIP: expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/),
      clusterIPs: [body.spec.clusterIP],
      internalTrafficPolicy: "Cluster",
      ipFamilies: ["IPv4"],
      ipFamilyPolicy: "SingleStack",
      ports: [{ port: 80, protocol: "TCP", targetPort: 80 }],
      selector: { app: "x" },
      sessionAffinity: "None",
      type: "ClusterIP",
    });
    expect(body.status).toEqual({ loadBalancer: {} });
  });

  test("an address that is taken is refused, and free again when its service is gone", async () => {
    const { clusterIP } = (await post("one", { ports })).body.spec;
    const taken = await post("two", { ports, clusterIP });
    expect(said(taken)).toMatchObject({ code: 422, reason: "Invalid", causes: ["spec.clusterIPs: FieldValueInvalid"] });
    expect(taken.body.message).toContain("provided IP is already allocated");
    await given.ask("DELETE", `${path()}/one`);
    expect((await post("two", { ports, clusterIP })).body.spec.clusterIP).toBe(clusterIP);
  });

  test("an address outside the range, or none at all", async () => {
    const outside = await post("one", { ports, clusterIP: "192.0.2.1" });
    expect(said(outside)).toMatchObject({ code: 422, causes: ["spec.clusterIPs: FieldValueInvalid"] });
    expect(outside.body.message).toContain(
      "failed to allocate IP 192.0.2.1: the provided network does not match the current range",
    );
    const headless = await post("one", { clusterIP: "None", ports });
    expect(headless.body.spec).toMatchObject({ clusterIP: "None", clusterIPs: ["None"] });
  });

  test("the address stays", async () => {
    const { clusterIP } = (await post("one", { ports })).body.spec;
    const moved = await patch("one", { spec: { clusterIP: "10.0.0.250", clusterIPs: ["10.0.0.250"] } });
    expect(said(moved)).toMatchObject({ code: 422, reason: "Invalid" });
    expect(moved.body.message).toContain("may not change once set");
    const { body } = await given.ask("GET", `${path()}/one`);
    const update = { ...body, spec: { ports: [{ port: 81 }] } };
    expect((await given.ask("PUT", `${path()}/one`, { body: update })).body.spec.clusterIP).toBe(clusterIP);
  });

  test("a node port is given out of its range, once", async () => {
    const [given1] = (await post("one", { type: "NodePort", ports })).body.spec.ports;
    expect(given1.nodePort).toBeGreaterThanOrEqual(30000);
    expect(given1.nodePort).toBeLessThanOrEqual(32767);
    const taken = await post("two", { type: "NodePort", ports: [{ port: 80, nodePort: given1.nodePort }] });
    expect(said(taken)).toMatchObject({
      code: 422,
      reason: "Invalid",
      causes: ["spec.ports[0].nodePort: FieldValueInvalid"],
    });
    expect(taken.body.message).toContain(
      `spec.ports[0].nodePort: Invalid value: ${given1.nodePort}: provided port is already allocated`,
    );
    const outside = await post("two", { type: "NodePort", ports: [{ port: 80, nodePort: 80 }] });
    expect(outside.body.message).toContain(
      "provided port is not in the valid range. The range of valid ports is 30000-32767",
    );
  });

  test("two protocols may share a node port", async () => {
    const both = [
      { name: "tcp", port: 80, protocol: "TCP" },
      { name: "udp", port: 80, protocol: "UDP" },
    ];
    const { body } = await post("one", { type: "NodePort", ports: both });
    expect(body.spec.ports).toHaveLength(2);
    const { nodePort } = body.spec.ports[0];
    const same = [
      { ...both[0], nodePort },
      { ...both[1], nodePort },
    ];
    await given.ask("DELETE", `${path()}/one`);
    expect((await post("two", { type: "NodePort", ports: same })).code).toBe(201);
  });

  test("changing what it is gives and takes node ports", async () => {
    await post("one", { ports });
    const opened = await patch("one", { spec: { type: "NodePort" } });
    expect(opened.body.spec.ports[0].nodePort).toBeGreaterThanOrEqual(30000);
    expect(opened.body.spec.externalTrafficPolicy).toBe("Cluster");
    const closed = await patch("one", { spec: { type: "ClusterIP" } });
    expect(closed.body.spec.ports[0].nodePort).toBeUndefined();
    expect(closed.body.spec.externalTrafficPolicy).toBeUndefined();
  });

  test.each([
    ["no ports", { ports: [] }, ["spec.ports: FieldValueRequired"]],
    [
      "a port that is none",
      { ports: [{ port: 0 }] },
      ["spec.ports[0].port: FieldValueInvalid", "spec.ports[0].targetPort: FieldValueInvalid"],
    ],
    [
      "ports without names",
      { ports: [{ port: 1 }, { port: 2 }] },
      ["spec.ports[0].name: FieldValueRequired", "spec.ports[1].name: FieldValueRequired"],
    ],
    [
      "a protocol that is none",
      { ports: [{ port: 1, protocol: "X" }] },
      ["spec.ports[0].protocol: FieldValueNotSupported"],
    ],
    ["a type that is none", { type: "Magic", ports: [{ port: 1 }] }, ["spec.type: FieldValueNotSupported"]],
    ["no name to point at", { type: "ExternalName" }, ["spec.externalName: FieldValueRequired"]],
  ])("is refused: %s", async (_, spec, causes) => {
    expect(said(await post("one", spec))).toMatchObject({ code: 422, reason: "Invalid", causes });
  });

  test("its name is a label, which may begin with a digit", async () => {
    expect((await post("1one", { ports })).code).toBe(201);
    expect(said(await post("a.b", { ports }))).toMatchObject({
      code: 422,
      causes: ["metadata.name: FieldValueInvalid"],
    });
  });
}
