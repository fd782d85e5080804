import { describe, expect, test } from "vitest";
import { AllowedAddresses, parseSubnet } from "./addresses.ts";
import { refuseAddress } from "./lookup.ts";

const allowed = new AllowedAddresses([]);

describe("addresses", () => {
  test.each([
    "127.0.0.1",
    "127.255.255.254",
    "0.0.0.0",
    "0.1.2.3",
    "169.254.169.254",
    "169.254.0.1",
    "192.0.0.192",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "100.100.100.200",
    "168.63.129.16",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::FFFF:A9FE:A9FE",
    "0:0:0:0:0:ffff:169.254.169.254",
    "64:ff9b::127.0.0.1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::7f00:1",
    "2002:7f00:1::",
    "2001:0:7f00:1::",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "fd00:ec2::254",
    "localhost",
    "",
    "127.1",
  ])("%j is refused", (address) => expect(allowed.allows(address)).toBe(false));

  test.each([
    "8.8.8.8",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.1.1",
    "100.100.100.201",
    "192.0.1.1",
    "2a00:1450:4001::1",
    "fd00:ec2::255",
    "::ffff:10.0.0.1",
    "64:ff9b::808:808",
  ])("%j is allowed", (address) => expect(allowed.allows(address)).toBe(true));

  test("exceptions open what they name, and no more", () => {
    const some = new AllowedAddresses(["127.0.0.1/32", "::1"]);
    expect(["127.0.0.1", "::ffff:127.0.0.1", "::1"].every((address) => some.allows(address))).toBe(true);
    expect(["127.0.0.2", "169.254.169.254", "::2"].some((address) => some.allows(address))).toBe(false);
  });

  test("a wrong subnet is none", () => {
    for (const text of ["", "10.0.0.0/33", "10.0.0/8", "::/129", "10.0.0.0/8/8", "10.0.0.0/-1", "10.0.0.0/", "x/8"]) {
      expect(parseSubnet(text), text).toBeUndefined();
    }
    expect(parseSubnet("10.0.0.0/8")).toEqual({ address: "10.0.0.0", bits: 8 });
    expect(() => new AllowedAddresses(["ten"])).toThrow("ten is not a subnet");
  });
});

describe("a server's host", () => {
  test.each([
    "https://127.0.0.1:6443",
    "https://127.1",
    "https://0x7f.0.0.1",
    "https://0x7f000001",
    "https://2130706433",
    "https://0177.0.0.1",
    "https://127.0.0.1.:6443",
    "https://1㉗.0.0.1",
    "https://[::1]:6443",
    "https://[::ffff:127.0.0.1]",
    "https://[::ffff:7f00:1]",
    "https://[0:0:0:0:0:0:0:0]",
    "https://0",
    "https://169.254.169.254/latest",
    "https://0xa9fea9fe",
  ])("%s is refused in every notation", (server) => {
    expect(() => refuseAddress(server, allowed)).toThrow("its address is one of this machine");
  });

  test("a name is left to the moment of the connection", () => {
    expect(() => refuseAddress("https://localhost:6443", allowed)).not.toThrow();
    expect(() => refuseAddress("https://10.1.2.3", allowed)).not.toThrow();
  });
});
