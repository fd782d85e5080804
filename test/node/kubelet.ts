import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Client, Nodes } from "@berg/kube";
import { stringify } from "yaml";
import type { Component } from "../control-plane/component.ts";
import { socketOf } from "./containerd.ts";
import type { Machine } from "./machine.ts";
import type { Link } from "./network.ts";

/** How many processes all containers of a pod may have together. */
export const podPidsLimit = 128;

export interface KubeletSite {
  readonly directory: string;
  readonly binaries: string;
  readonly kubeconfig: string;
  readonly name: string;
  readonly link: Link;
  readonly client: Client;
}

export async function kubelet(machine: Machine, site: KubeletSite): Promise<Component> {
  const { directory, binaries, kubeconfig, name, link, client } = site;
  const config = join(directory, "kubelet.yaml");
  const resolvConf = join(directory, "resolv.conf");
  await writeFile(resolvConf, `nameserver ${link.host}\n`);
  await writeFile(
    config,
    stringify({
      apiVersion: "kubelet.config.k8s.io/v1beta1",
      kind: "KubeletConfiguration",
      containerRuntimeEndpoint: `unix://${socketOf(directory)}`,
      // Only this host can reach it, and the API server has no certificate to show.
      authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
      authorization: { mode: "AlwaysAllow" },
      failCgroupV1: false,
      failSwapOn: false,
      cgroupDriver: "cgroupfs",
      cgroupRoot: `/${machine.name}`,
      enforceNodeAllocatable: [],
      oomScoreAdj: 0,
      clusterDomain: "cluster.local",
      clusterDNS: [link.host],
      resolvConf,
      podPidsLimit,
      // The disk is the host's, full or not.
      evictionHard: { "memory.available": "100Mi" },
      imageGCHighThresholdPercent: 100,
      // A container that writes too much is found out by these figures, once a minute by default.
      volumeStatsAggPeriod: "5s",
    }),
  );
  return machine.component({
    name: "kubelet",
    binary: join(binaries, "kubelet"),
    flags: [
      `--config=${config}`,
      `--kubeconfig=${kubeconfig}`,
      `--hostname-override=${name}`,
      `--node-ip=${link.node}`,
    ],
    async isReady(_port, signal) {
      const { status } = await client.get(Nodes, "", name, { signal });
      return (
        status?.conditions?.some((condition) => condition.type === "Ready" && condition.status === "True") ?? false
      );
    },
  });
}
