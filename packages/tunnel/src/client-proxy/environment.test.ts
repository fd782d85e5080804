import { systemClock } from "@berg/kube";
import { describe, expect, test } from "vitest";
import { makeProxyCertificate } from "../pair/certificate.ts";
import { readEnvironment } from "./environment.ts";
import { managementAddress, membership } from "./management.ts";

const { certificate } = makeProxyCertificate("server proxy", systemClock);
const enough = { BERG_TUNNEL_PEER: certificate, BERG_TUNNEL_MANAGEMENT: "10.203.0.0/29" };

describe("the environment of a client proxy", () => {
  test("has defaults for all but the peer and the network", () => {
    expect(readEnvironment(enough)).toMatchObject({
      peer: { chain: certificate },
      management: { address: "10.203.0.0", prefix: 29, family: "ipv4" },
      controlPort: 36_672,
      dataPort: 36_673,
      aloneMs: 120_000,
    });
  });

  test("may say all", () => {
    const all = {
      ...enough,
      BERG_TUNNEL_MANAGEMENT: "fd00::/64",
      BERG_TUNNEL_CONTROL_PORT: "0",
      BERG_TUNNEL_DATA_PORT: "65535",
      BERG_TUNNEL_ALONE_SECONDS: "3",
    };
    const management = { address: "fd00::", prefix: 64, family: "ipv6" };
    expect(readEnvironment(all)).toMatchObject({ management, controlPort: 0, dataPort: 65_535, aloneMs: 3_000 });
  });

  test.each([
    { name: "BERG_TUNNEL_PEER", value: "", want: "BERG_TUNNEL_PEER is not set" },
    { name: "BERG_TUNNEL_PEER", value: "x", want: "BERG_TUNNEL_PEER is no certificate in PEM" },
    { name: "BERG_TUNNEL_MANAGEMENT", value: "", want: "BERG_TUNNEL_MANAGEMENT is not set" },
    { name: "BERG_TUNNEL_MANAGEMENT", value: "10.0.0.0", want: '"10.0.0.0", which is no subnet such as 10.203.0.0/29' },
    { name: "BERG_TUNNEL_MANAGEMENT", value: "10.0.0.0/33", want: "no subnet" },
    { name: "BERG_TUNNEL_MANAGEMENT", value: "fd00::/129", want: "no subnet" },
    { name: "BERG_TUNNEL_MANAGEMENT", value: "host/8", want: "no subnet" },
    { name: "BERG_TUNNEL_CONTROL_PORT", value: "65536", want: '"65536", which is no number from 0 to 65535' },
    { name: "BERG_TUNNEL_DATA_PORT", value: "-1", want: '"-1", which is no number from 0 to 65535' },
    { name: "BERG_TUNNEL_ALONE_SECONDS", value: "soon", want: '"soon", which is no number from 0 to 86400' },
  ])("refuses $name=$value: $want", ({ name, value, want }) => {
    expect(() => readEnvironment({ ...enough, [name]: value })).toThrow(want);
  });
});

describe("the management network", () => {
  test.each([
    { subnet: { address: "10.203.0.0", prefix: 29, family: "ipv4" }, inside: "10.203.0.7", outside: "10.203.0.8" },
    { subnet: { address: "10.203.0.10", prefix: 29, family: "ipv4" }, inside: "10.203.0.8", outside: "fd00::1" },
    { subnet: { address: "fd00:1::", prefix: 64, family: "ipv6" }, inside: "fd00:1::9", outside: "10.203.0.8" },
  ] as const)("of $subnet has $inside, and not $outside", ({ subnet, inside, outside }) => {
    const isInside = membership(subnet);
    expect([isInside(inside), isInside(outside), isInside("")]).toEqual([true, false, false]);
  });

  test("is where its own address is found", async () => {
    const signal = new AbortController().signal;
    const subnet = { address: "127.0.0.0", prefix: 8, family: "ipv4" } as const;
    expect(await managementAddress(subnet, systemClock, signal)).toBe("127.0.0.1");
  });
});
