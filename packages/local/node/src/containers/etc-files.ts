/** /etc/hosts as kubelet writes it, and the names by which a pod is known. /etc/resolv.conf is the network's. */
import type { Pod } from "@berg/kube";

export const clusterDomain = "cluster.local";
const longestHostname = 63;

/** The pod's own name unless it says otherwise; Linux has no room for a longer one. */
export function hostnameOf(pod: Pod): string {
  return (pod.spec?.hostname || pod.metadata.name).slice(0, longestHostname).replace(/[-.]+$/, "");
}

/** `web.sub.ctf.svc.cluster.local`, of a pod with a subdomain. */
export function domainOf(pod: Pod): string | undefined {
  const { subdomain } = pod.spec ?? {};
  return subdomain ? `${subdomain}.${pod.metadata.namespace}.svc.${clusterDomain}` : undefined;
}

export function hostsFile(pod: Pod, podIP: string): string {
  const [name, domain] = [hostnameOf(pod), domainOf(pod)];
  const lines = [
    "# Kubernetes-managed hosts file.",
    "127.0.0.1\tlocalhost",
    "::1\tlocalhost ip6-localhost ip6-loopback",
    "fe00::0\tip6-localnet",
    "fe00::0\tip6-mcastprefix",
    "fe00::1\tip6-allnodes",
    "fe00::2\tip6-allrouters",
    domain ? `${podIP}\t${name}.${domain}\t${name}` : `${podIP}\t${name}`,
  ];
  const aliases = pod.spec?.hostAliases ?? [];
  if (aliases.length > 0) lines.push("", "# Entries added by HostAliases.");
  for (const { ip, hostnames = [] } of aliases) lines.push([ip, ...hostnames].join("\t"));
  return `${lines.join("\n")}\n`;
}

/**
 * The network's resolv.conf as the pod's dnsPolicy and dnsConfig change it. `ClusterFirst` and `Default` are the same
 * here: the host's own resolvers are behind the network's.
 */
export function resolvConf(pod: Pod, ofNetwork: string): string {
  const config = pod.spec?.dnsConfig;
  const lines = ofNetwork.split("\n").filter((line) => line !== "");
  const values = (keyword: string) => lines.filter((line) => line.startsWith(`${keyword} `)).map(afterKeyword);
  const isNone = pod.spec?.dnsPolicy === "None";
  const nameservers = [...(isNone ? [] : values("nameserver")), ...(config?.nameservers ?? [])];
  const searches = [...(isNone ? [] : values("search").flatMap(words)), ...(config?.searches ?? [])];
  const options = new Map((isNone ? [] : values("options").flatMap(words)).map(optionOf));
  for (const { name = "", value } of config?.options ?? []) options.set(name, value);
  const result = [
    ...(searches.length > 0 ? [`search ${[...new Set(searches)].join(" ")}`] : []),
    ...[...new Set(nameservers)].map((address) => `nameserver ${address}`),
    ...(options.size > 0 ? [`options ${[...options].map(optionText).join(" ")}`] : []),
  ];
  return result.map((line) => `${line}\n`).join("");
}

const afterKeyword = (line: string) => line.slice(line.indexOf(" ") + 1).trim();
const words = (text: string) => text.split(/\s+/).filter((word) => word !== "");

function optionOf(text: string): [string, string | undefined] {
  const [name = "", value] = text.split(":");
  return [name, value];
}

function optionText([name, value]: [string, string | undefined]): string {
  return value === undefined ? name : `${name}:${value}`;
}
