/** What the organiser decides, for all instances. Read from the environment by `read-settings.ts`. */
import type { Duration } from "@berg/apimachinery";
import type { Architecture } from "../flags/executable.ts";

export interface Settings {
  /** Where Challenges are kept, unless a ChallengeInstance names another namespace. */
  challengeNamespace: string;
  expiry: ExpirySettings;
  /** How many instances may run at once; more wait. 0: no limit. */
  maxInstances: number;
  /** What containers may add. Not a part of what is recorded: instances that run keep what they were started with. */
  capabilities: readonly string[];
  build: BuildSettings;
}

export interface ExpirySettings {
  /** How long an instance lives where neither it nor its Challenge says; undefined: for ever. */
  timeout: Duration | undefined;
  maxRenewals: number;
  /** How long before its end an owner is warned. 0: not at all. */
  warning: Duration;
}

/**
 * What an instance is built with. It is recorded with the workload when an instance starts, so that a running instance
 * keeps what it started with when the organiser changes a default: plain JSON, and nothing secret.
 */
export interface BuildSettings {
  /** Below it every route gets a hostname of its own. */
  domain: string;
  gateway: GatewaySettings;
  network: NetworkSettings;
  resources: ResourceSettings;
  bandwidth: { egress: string; ingress: string };
  imagePullPolicy: "Always" | "IfNotPresent" | "Never";
  /** `""`: none. */
  runtimeClassName: string;
  /** Name of the Secret beside the controller that is copied into every instance. `""`: none. */
  pullSecretName: string;
  headlessService: boolean;
  flagStorage: "ConfigMap" | "Secret";
  /** Of the nodes that run containers with an executable flag. */
  architecture: Architecture;
  disruption: "protect" | "allow";
}

export interface GatewaySettings {
  name: string;
  namespace: string;
  httpListener: string;
  tlsListener: string;
  httpPort: number;
  /** Whether the listener for HTTP routes is an HTTPS one. */
  httpTls: boolean;
  tlsPort: number;
  peer: GatewayPeer;
}

/** From where the gateway reaches the instances: Cilium's ingress, a node itself, or pods of a namespace. */
export type GatewayPeer =
  | { from: "ingress" }
  | { from: "host" }
  | { from: "pods"; namespace: string; matchLabels: Record<string, string> };

export interface NetworkSettings {
  policy: "cilium" | "kubernetes" | "both" | "none";
  /** What no instance reaches, with outbound traffic allowed. */
  denyCidrs: string[];
}

/** Defaults for what the author leaves out, as quantities in the form in which the API server returns them. */
export interface ResourceSettings {
  limits: ResourceAmounts;
  requests: ResourceAmounts;
}

export interface ResourceAmounts {
  cpu: string;
  memory: string;
  "ephemeral-storage": string;
}
