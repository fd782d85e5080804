import type { Stored } from "@berg/apimachinery";
import { expect, test } from "vitest";
import type { EndpointSlice } from "../kinds.ts";
import { endpointsFrom, inTurn } from "./endpoints.ts";

const slice = (more: Partial<EndpointSlice>) =>
  ({
    metadata: { name: "s", namespace: "a", labels: { "kubernetes.io/service-name": "web" } },
    addressType: "IPv4",
    endpoints: [],
    ports: [{ name: "http", protocol: "TCP", port: 8080 }],
    ...more,
  }) as Stored<EndpointSlice>;

function endpoints(slices: Stored<EndpointSlice>[], protocol?: string) {
  let keysOf: (slice: Stored<EndpointSlice>) => Iterable<string> = () => [];
  const of = endpointsFrom({
    ensureIndex: (_, valuesOf) => {
      keysOf = valuesOf;
    },
    byIndex: (_, key) => slices.filter((slice) => [...keysOf(slice)].includes(key)),
  });
  return of({ service: "a/web", portName: "http" }, protocol).map(({ address, port }) => `${address}:${port}`);
}

const ready = (...addresses: string[]) => ({ addresses, conditions: { ready: true } });

test("are the ready ones of all slices of the Service, on the port of that name", () => {
  const unready = { addresses: ["10.0.0.9"], conditions: { ready: false } };
  const unknown = { addresses: ["10.0.0.3"] };
  const otherService = { name: "s", namespace: "a", labels: { "kubernetes.io/service-name": "other" } };
  const slices = [
    slice({ endpoints: [ready("10.0.0.1", "10.0.0.8"), unready, unknown] }),
    slice({
      endpoints: [ready("10.0.0.2")],
      ports: [
        { name: "x", port: 1 },
        { name: "http", port: 81 },
      ],
    }),
    slice({ endpoints: [ready("10.0.0.4")], ports: [{ name: "other", port: 1 }] }),
    slice({ endpoints: [ready("10.0.0.5")], metadata: otherService as never }),
    slice({ endpoints: [ready("localhost")], addressType: "FQDN" }),
    slice({ endpoints: null, ports: null }),
  ];
  expect(endpoints(slices)).toEqual(["10.0.0.1:8080", "10.0.0.3:8080", "10.0.0.2:81"]);
});

test("are those of the protocol that is asked for", () => {
  const ports = [
    { name: "http", protocol: "UDP", port: 1 },
    { name: "http", protocol: "TCP", port: 2 },
  ];
  const slices = [slice({ endpoints: [ready("10.0.0.1")], ports })];
  expect([endpoints(slices), endpoints(slices, "UDP")]).toEqual([["10.0.0.1:2"], ["10.0.0.1:1"]]);
});

test("are tried from one drawn at random onwards", () => {
  const draws = [0, 0.4, 0.99].map((draw) => inTurn(["a", "b", "c"], () => draw).join(""));
  expect(draws).toEqual(["abc", "bca", "cab"]);
  expect(inTurn([], () => 0.5)).toEqual([]);
});
