import { describe, expect, test } from "vitest";
import { domainOf, hostnameOf, hostsFile, resolvConf } from "./etc-files.ts";
import { makePod } from "./testing/pods.ts";

test("/etc/hosts is what kubelet writes", () => {
  const hostAliases = [{ ip: "1.2.3.4", hostnames: ["foo", "bar"] }];
  const pod = makePod({}, { hostname: "hosty", subdomain: "sub", hostAliases }, { namespace: "default" });
  expect(hostsFile(pod, "10.244.0.2")).toBe(`# Kubernetes-managed hosts file.
127.0.0.1	localhost
::1	localhost ip6-localhost ip6-loopback
fe00::0	ip6-localnet
fe00::0	ip6-mcastprefix
fe00::1	ip6-allnodes
fe00::2	ip6-allrouters
10.244.0.2	hosty.sub.default.svc.cluster.local	hosty

# Entries added by HostAliases.
1.2.3.4	foo	bar
`);
  expect(hostsFile(makePod(), "10.0.0.1").endsWith("10.0.0.1\tweb\n")).toBe(true);
});

describe("a pod's host name", () => {
  test("is its own name unless told, cut to what Linux has room for", () => {
    expect(hostnameOf(makePod())).toBe("web");
    expect(hostnameOf(makePod({}, {}, { name: `${"a".repeat(62)}-bcd` }))).toBe("a".repeat(62));
    expect(domainOf(makePod())).toBeUndefined();
  });
});

describe("/etc/resolv.conf", () => {
  const ofNetwork = "search ctf.svc.cluster.local cluster.local\nnameserver 10.96.0.10\noptions ndots:5\n";
  test("is the network's", () => expect(resolvConf(makePod(), ofNetwork)).toBe(ofNetwork));
  test("takes what the pod adds", () => {
    const dnsConfig = {
      nameservers: ["1.1.1.1", "10.96.0.10"],
      searches: ["example.com"],
      options: [{ name: "ndots", value: "2" }, { name: "edns0" }],
    };
    expect(resolvConf(makePod({}, { dnsConfig }), ofNetwork)).toBe(
      "search ctf.svc.cluster.local cluster.local example.com\nnameserver 10.96.0.10\nnameserver 1.1.1.1\noptions ndots:2 edns0\n",
    );
    expect(resolvConf(makePod({}, { dnsConfig, dnsPolicy: "None" }), ofNetwork)).toBe(
      "search example.com\nnameserver 1.1.1.1\nnameserver 10.96.0.10\noptions ndots:2 edns0\n",
    );
  });
});
