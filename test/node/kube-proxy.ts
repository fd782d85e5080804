import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import type { Component } from "../control-plane/component.ts";
import { ask } from "../control-plane/request.ts";
import type { KubeletSite } from "./kubelet.ts";
import type { Machine } from "./machine.ts";
import { podSubnet } from "./network.ts";

const healthPort = 10_256;

/** What makes the addresses and node ports of Services lead to their pods. */
export async function kubeProxy(machine: Machine, site: Omit<KubeletSite, "client">): Promise<Component> {
  const { directory, binaries, kubeconfig, name, link } = site;
  const config = join(directory, "kube-proxy.yaml");
  await writeFile(
    config,
    stringify({
      apiVersion: "kubeproxy.config.k8s.io/v1alpha1",
      kind: "KubeProxyConfiguration",
      mode: "iptables",
      iptables: { minSyncPeriod: "100ms" },
      clientConnection: { kubeconfig },
      clusterCIDR: podSubnet,
      hostnameOverride: name,
      healthzBindAddress: `${link.node}:${healthPort}`,
      oomScoreAdj: 0,
      // Settings of the whole kernel: the host's to choose.
      conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: "0s", tcpCloseWaitTimeout: "0s" },
    }),
  );
  return machine.component({
    name: "kube-proxy",
    binary: join(binaries, "kube-proxy"),
    flags: [`--config=${config}`],
    isReady: async (_port, signal) =>
      (await ask({ host: link.node, port: healthPort, path: "/healthz", signal })).status === 200,
  });
}
