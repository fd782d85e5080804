import type { Service } from "@berg/kube";
import { describe, expect, test } from "vitest";
import type { Endpoint, EndpointSlice } from "../kinds.ts";
import { findName, type NamesInReach } from "./cluster-names.ts";
import { type DnsRecord, recordTypes } from "./message.ts";

const service = (name: string, spec: NonNullable<Service["spec"]>, namespace = "alice"): Service => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { namespace, name },
  spec: { ports: [{ name: "http", port: 80 }], ...spec },
});
const slice = (of: string, endpoints: Endpoint[], ports: EndpointSlice["ports"] = [{ name: "http", port: 8080 }]) => ({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { namespace: "alice", name: of, labels: { "kubernetes.io/service-name": of } },
  addressType: "IPv4",
  ports,
  endpoints,
});
const reach: NamesInReach = {
  namespace: "alice",
  services: [
    service("web", {
      clusterIP: "10.96.1.1",
      ports: [
        { name: "http", port: 80 },
        { name: "https", port: 443 },
      ],
    }),
    service("db", { clusterIP: "None" }),
    service("empty", { clusterIP: "None" }),
    service("portless", { clusterIP: "None", ports: [] }),
    service("far", { type: "ExternalName", externalName: "Example.com." }),
  ],
  slices: [
    slice("web", [{ addresses: ["10.202.1.2"] }]),
    slice("db", [
      { addresses: ["10.202.1.2"], hostname: "db-0" },
      { addresses: ["10.202.1.3"] },
      { addresses: ["10.202.1.4"], conditions: { ready: false } },
    ]),
    slice("empty", [{ addresses: ["10.202.1.5"], conditions: { ready: false } }]),
    slice("portless", [{ addresses: ["10.202.1.6"] }], []),
  ],
  apiServer: service("kubernetes", { clusterIP: "10.96.0.1", ports: [{ name: "https", port: 443 }] }, "default"),
  isPodAddress: (address) => address.startsWith("10.202."),
};

const find = (name: string, type: keyof typeof recordTypes = "A") =>
  findName({ labels: name.split("."), type: recordTypes[type] }, reach);
/** The answers in short, or what else was found. */
function answers(name: string, type?: keyof typeof recordTypes): unknown {
  const found = find(name, type);
  if (typeof found === "string") return found;
  if ("noSuchNameIn" in found) return undefined;
  return "alias" in found ? { alias: found.alias } : found.records.map(short);
}
const short = (record: DnsRecord) => {
  if (record.type === "A") return record.address;
  return record.type === "SRV" ? `${record.weight} ${record.port} ${record.target}` : record.target;
};

const zone = "svc.cluster.local";

describe("names of Services", () => {
  test.each([
    [`web.alice.${zone}`, ["10.96.1.1"]],
    [`_http._tcp.web.alice.${zone}`, ["10.96.1.1"]],
    [`_http._udp.web.alice.${zone}`, undefined],
    [`_other._tcp.web.alice.${zone}`, undefined],
    [`db.alice.${zone}`, ["10.202.1.2", "10.202.1.3"]],
    [`db-0.db.alice.${zone}`, ["10.202.1.2"]],
    [`10-202-1-3.db.alice.${zone}`, ["10.202.1.3"]],
    [`10-202-1-2.db.alice.${zone}`, undefined],
    [`10-202-1-4.db.alice.${zone}`, undefined],
    [`10-202-1-2.web.alice.${zone}`, ["10.202.1.2"]],
    [`empty.alice.${zone}`, undefined],
    [`portless.alice.${zone}`, ["10.202.1.6"]],
    [`far.alice.${zone}`, { alias: "example.com" }],
    [`x.far.alice.${zone}`, undefined],
    [`none.alice.${zone}`, undefined],
    [`a.b.c.web.alice.${zone}`, undefined],
  ])("%s → %j", (name, want) => expect(answers(name)).toEqual(want));

  test("those of other namespaces do not exist, but for the API server's", () => {
    expect(answers(`kubernetes.default.${zone}`)).toEqual(["10.96.0.1"]);
    expect(answers(`other.default.${zone}`)).toBeUndefined();
    expect(answers(`kubernetes.bob.${zone}`)).toBeUndefined();
    expect(answers(`web.bob.${zone}`)).toBeUndefined();
    expect(answers(`bob.${zone}`)).toBeUndefined();
    expect(answers("10-202-2-2.bob.pod.cluster.local")).toBeUndefined();
  });

  test("what names are below exists, and has nothing itself", () => {
    for (const name of [`alice.${zone}`, zone, "cluster.local", "pod.cluster.local", "alice.pod.cluster.local"])
      expect(answers(name)).toEqual([]);
    expect(answers("nothing.cluster.local")).toBeUndefined();
  });

  test("a name that exists has no IPv6 address", () => {
    for (const name of [`web.alice.${zone}`, `db.alice.${zone}`, "10-202-1-2.alice.pod.cluster.local"])
      expect(answers(name, "AAAA")).toEqual([]);
    expect(answers(`none.alice.${zone}`, "AAAA")).toBeUndefined();
  });

  test("a dot within a part of a name does not make it another", () => {
    const labels = [`web.alice`, "svc", "cluster", "local"];
    expect(findName({ labels, type: recordTypes.A }, reach)).toEqual({ noSuchNameIn: "cluster.local" });
  });
});

test("ports are told by SRV, with the addresses beside", () => {
  expect(answers(`_https._tcp.web.alice.${zone}`, "SRV")).toEqual([`100 443 web.alice.${zone}`]);
  expect(answers(`web.alice.${zone}`, "SRV")).toEqual([`50 80 web.alice.${zone}`, `50 443 web.alice.${zone}`]);
  expect(answers(`_http._tcp.db.alice.${zone}`, "SRV")).toEqual([
    `50 8080 db-0.db.alice.${zone}`,
    `50 8080 10-202-1-3.db.alice.${zone}`,
  ]);
  expect(find(`_http._tcp.db.alice.${zone}`, "SRV")).toMatchObject({
    additional: [
      { name: `db-0.db.alice.${zone}`, address: "10.202.1.2" },
      { name: `10-202-1-3.db.alice.${zone}`, address: "10.202.1.3" },
    ],
  });
});

test.each([
  ["1.1.96.10", `web.alice.${zone}`],
  ["1.0.96.10", `kubernetes.default.${zone}`],
  ["2.1.202.10", `db-0.db.alice.${zone}`],
  ["3.1.202.10", `10-202-1-3.db.alice.${zone}`],
  ["9.9.202.10", undefined],
  ["9.9.96.10", undefined],
])("the address %s.in-addr.arpa is of %s", (address, want) => {
  expect(answers(`${address}.in-addr.arpa`, "PTR")).toEqual(want && [want]);
});

test.each(["example.com", "1.2.0.192.in-addr.arpa", "localhost", "local", "cluster.local.example.com", "in-addr.arpa"])(
  "%s is not of this cluster",
  (name) => expect(find(name, "PTR")).toBe("not of this cluster"),
);

test("a pod is found by the address in its name", () => {
  expect(answers("10-202-1-2.alice.pod.cluster.local")).toEqual(["10.202.1.2"]);
  expect(answers("10-202-1.alice.pod.cluster.local")).toBeUndefined();
  expect(answers("x.10-202-1-2.alice.pod.cluster.local")).toBeUndefined();
});
