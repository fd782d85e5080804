/**
 * Every environment variable that the controller reads: the one source of its name, default and meaning. Manifests and
 * documentation are checked against it.
 */
import { defaultCapabilities, parseCapabilities } from "./capabilities.ts";
import * as read from "./parsers.ts";

export interface Variable<T> {
  name: string;
  /** As it would be written; what an empty or missing variable means. */
  default: string;
  description: string;
  /** Throws what is wrong with the text. */
  parse: (text: string) => T;
}

/** What no instance is to reach with outbound traffic allowed: what is private, and what clouds tell their own machines. */
const privateRanges = [
  // This network, private, carrier-grade NAT, loopback, link-local (with metadata), Azure's metadata, private.
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "168.63.129.16/32", "172.16.0.0/12"],
  // Protocol assignments (with Oracle's metadata), private, benchmarks, multicast and what is reserved above it.
  ...["192.0.0.0/24", "192.168.0.0/16", "198.18.0.0/15", "224.0.0.0/3"],
  // Unspecified and loopback, NAT64 of a site, private (with metadata), link-local, multicast.
  ...["::/127", "64:ff9b:1::/48", "fc00::/7", "fe80::/10", "ff00::/8"],
];

export const variables = {
  challengeNamespace: variable("CHALLENGE_NAMESPACE", "berg", "Namespace in which Challenges are kept.", read.label),
  domain: variable(
    "CHALLENGE_DOMAIN",
    "challenges.example.com",
    "Domain below which every route of an instance gets a hostname.",
    read.domain,
  ),
  httpPort: variable("CHALLENGE_HTTP_PORT", "80", "Port of the gateway's listener for HTTP routes.", read.port),
  httpTls: variable(
    "CHALLENGE_HTTP_TLS",
    "false",
    "Whether the gateway's listener for HTTP routes is an HTTPS one: then players are sent to https:// addresses.",
    read.yesOrNo,
  ),
  tlsPort: variable("CHALLENGE_TLS_PORT", "443", "Port of the gateway's listener for TLS routes.", read.port),
  gatewayName: variable("GATEWAY_NAME", "berg-gateway", "Name of the Gateway that routes are attached to.", read.name),
  gatewayNamespace: variable("GATEWAY_NAMESPACE", "berg", "Namespace of that Gateway.", read.label),
  gatewayPeer: variable(
    "GATEWAY_PEER",
    "ingress",
    "From where the gateway's traffic reaches instances: ingress (Cilium's), host (a node), or the gateway's pods as <namespace>/<labels>, such as traefik/app=traefik.",
    read.gatewayPeer,
  ),
  httpListener: variable(
    "CHALLENGE_HTTP_LISTENER_NAME",
    "http",
    "Name of the gateway's listener for HTTP routes.",
    read.name,
  ),
  tlsListener: variable(
    "CHALLENGE_TLS_LISTENER_NAME",
    "tls",
    "Name of the gateway's listener for TLS routes.",
    read.name,
  ),
  timeout: variable(
    "CHALLENGE_INSTANCE_TIMEOUT",
    "2h",
    "How long an instance lives where neither it nor its Challenge says. none: for ever.",
    read.timeoutOrNone,
  ),
  maxRenewals: variable("CHALLENGE_MAX_RENEWALS", "3", "How often an instance can be renewed. 0: never.", read.count),
  warning: variable(
    "CHALLENGE_EXPIRY_WARNING",
    "10m",
    "How long before the end of an instance its owner is warned. 0: not at all.",
    read.duration,
  ),
  maxInstances: variable(
    "MAX_INSTANCES",
    "0",
    "How many instances may run at once; more wait for their turn. 0: no limit.",
    read.count,
  ),
  capabilities: variable(
    "CHALLENGE_CAPABILITIES",
    defaultCapabilities.join(","),
    "Capabilities that Challenges may add to their containers. admission-policy-contents.yaml has the same list: change both.",
    parseCapabilities,
  ),
  cpuLimit: variable("CHALLENGE_CPU_LIMIT", "1000m", "Most CPU of a container that says nothing.", read.limit),
  cpuRequest: variable(
    "CHALLENGE_CPU_REQUEST",
    "100m",
    "CPU reserved for a container that says nothing.",
    read.request,
  ),
  memoryLimit: variable("CHALLENGE_MEMORY_LIMIT", "512Mi", "Most memory of a container that says nothing.", read.limit),
  memoryRequest: variable(
    "CHALLENGE_MEMORY_REQUEST",
    "128Mi",
    "Memory reserved for a container that says nothing.",
    read.request,
  ),
  storageLimit: variable(
    "CHALLENGE_EPHEMERAL_STORAGE_LIMIT",
    "1Gi",
    "Most space for files that a container writes, where it says nothing.",
    read.limit,
  ),
  storageRequest: variable(
    "CHALLENGE_EPHEMERAL_STORAGE_REQUEST",
    "64Mi",
    "Space for files reserved for a container that says nothing.",
    read.request,
  ),
  egressBandwidth: variable(
    "CHALLENGE_EGRESS_BANDWIDTH",
    "10M",
    "Most traffic out of a container that says nothing, in bits per second.",
    read.bandwidth,
  ),
  ingressBandwidth: variable(
    "CHALLENGE_INGRESS_BANDWIDTH",
    "10M",
    "Most traffic into a container that says nothing, in bits per second.",
    read.bandwidth,
  ),
  imagePullPolicy: variable(
    "CHALLENGE_IMAGE_PULL_POLICY",
    "IfNotPresent",
    "When a node pulls an image: Always, IfNotPresent or Never.",
    read.choice("Always", "IfNotPresent", "Never"),
  ),
  runtimeClassName: variable(
    "CHALLENGE_RUNTIME_CLASS_NAME",
    "",
    "RuntimeClass of a container that says nothing, such as gvisor. Empty: the cluster's default.",
    read.optionalName,
  ),
  pullSecretName: variable(
    "PULL_SECRET_NAME",
    "",
    "Secret beside the controller with credentials for images; it is copied into every instance. Empty: none.",
    read.optionalName,
  ),
  headlessService: variable(
    "CHALLENGE_ADDITIONAL_HEADLESS_SERVICE",
    "false",
    "Whether each container also gets a headless Service, <hostname>-headless.",
    read.yesOrNo,
  ),
  networkPolicy: variable(
    "NETWORK_POLICY",
    "cilium",
    "What isolates instances: cilium (CiliumNetworkPolicy), kubernetes (NetworkPolicy), both, or none.",
    read.choice("cilium", "kubernetes", "both", "none"),
  ),
  denyCidrs: variable(
    "NETWORK_DENY_CIDRS",
    privateRanges.join(","),
    "Ranges of addresses that no instance reaches, even where outbound traffic is allowed.",
    read.cidrs,
  ),
  flagStorage: variable(
    "FLAG_STORAGE",
    "ConfigMap",
    "What holds the flag of a container that gets it as a file: ConfigMap or Secret.",
    read.choice("ConfigMap", "Secret"),
  ),
  architecture: variable(
    "CHALLENGE_ARCHITECTURE",
    "",
    "Of the nodes that run containers with an executable flag: amd64 or arm64. Empty: that of the controller's own node.",
    read.architecture,
  ),
  disruption: variable(
    "CHALLENGE_DISRUPTION",
    "protect",
    "Whether nodes may be drained of running instances: protect (no) or allow.",
    read.choice("protect", "allow"),
  ),
};

function variable<T>(name: string, byDefault: string, description: string, parse: (text: string) => T): Variable<T> {
  return { name, default: byDefault, description, parse };
}

/** For documentation and manifests, in the order in which they are best read. */
export function settingsReference(): { name: string; default: string; description: string }[] {
  return Object.values(variables).map(({ name, default: byDefault, description }) => ({
    name,
    default: byDefault,
    description,
  }));
}
