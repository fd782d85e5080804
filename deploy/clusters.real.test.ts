/** What an administrator applies for `berg clusters`, on a real API server. */
import { BlockList, isIPv6 } from "node:net";
import type { ToCreate } from "@berg/apimachinery";
import { Deployments, Leases, NetworkPolicies, type Pod, Pods } from "@berg/kube";
import { missingControlPlane } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { home, type InstalledClusters, installedClusters } from "./testing/clusters-installed.ts";

describe.skipIf(await missingControlPlane())("deploy/clusters on a real API server", () => {
  let installed: InstalledClusters;
  beforeAll(async () => {
    installed = await installedClusters();
  });
  afterAll(() => installed?.[Symbol.asyncDispose]());

  test("its pods are admitted beside it, under the strictest pod security standard", async () => {
    const { admin } = installed;
    const { template } = (await admin.get(Deployments, home, "berg-clusters")).spec ?? {};
    const pod = {
      metadata: { ...template?.metadata, namespace: home, name: "one" },
      spec: template?.spec,
    } as ToCreate<Pod>;
    await admin.create(Pods, pod, { dryRun: true });
    const lax = { ...pod, spec: { ...pod.spec, hostNetwork: true } } as ToCreate<Pod>;
    await expect(admin.create(Pods, lax, { dryRun: true })).rejects.toThrow("restricted");
  });

  test("wherever a cluster is said to be, metadata of clouds is out of its pods' reach", async () => {
    const { spec } = await installed.admin.get(NetworkPolicies, home, "berg-clusters");
    const isWithin = (address: string, subnets: readonly string[]) =>
      subnets.some((subnet) => {
        const [network = "", bits] = subnet.split("/");
        if (isIPv6(network) !== isIPv6(address)) return false;
        const family = isIPv6(address) ? "ipv6" : "ipv4";
        const block = new BlockList();
        block.addSubnet(network, Number(bits), family);
        return block.check(address, family);
      });
    const isReached = (address: string) =>
      (spec?.egress ?? []).some(
        ({ to, ports }) =>
          ports?.some(({ port }) => port === 443) &&
          (to ?? [{ ipBlock: { cidr: "0.0.0.0/0" } }, { ipBlock: { cidr: "::/0" } }]).some(
            ({ ipBlock }) => ipBlock && isWithin(address, [ipBlock.cidr]) && !isWithin(address, ipBlock.except ?? []),
          ),
      );
    const metadata = ["169.254.169.254", "100.100.100.200", "168.63.129.16", "fe80::a9fe:a9fe", "fd00:ec2::254"];
    expect(metadata.filter(isReached)).toEqual([]);
    const clusters = ["192.0.2.10", "10.0.0.1", "100.100.100.201", "2001:db8::1"];
    expect(clusters.filter(isReached)).toEqual(clusters);
  });

  test("can be applied again while a leader holds the lease, and leaves it alone", async () => {
    const { admin, operators, apply } = installed;
    const spec = { holderIdentity: "one", leaseDurationSeconds: 15 };
    await operators.update(Leases, { ...(await operators.get(Leases, home, "berg-clusters")), spec });
    await apply();
    expect((await admin.get(Leases, home, "berg-clusters")).spec?.holderIdentity).toBe("one");
  });
});
