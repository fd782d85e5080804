/** The kinds that every Berg has, each with its schema and with what people see of it in kubectl. */
import { defineResource, type KubeObject, type ResourceType } from "@berg/apimachinery";
import { z } from "zod";
import { type Challenge, challengeSpec } from "./challenge.ts";
import { type ChallengeInstance, challengeInstanceSpec, challengeInstanceStatus } from "./challenge-instance.ts";
import { type Competition, competitionSpec } from "./competition.ts";
import { type ContainerNetwork, containerNetworkSpec, containerNetworkStatus } from "./container-network.ts";
import {
  type ContainerNetworkTunnelProxy,
  containerNetworkTunnelProxySpec,
  containerNetworkTunnelProxyStatus,
} from "./container-network-tunnel-proxy.ts";
import { type Page, pageSpec } from "./page.ts";
import { ruled } from "./rules.ts";
import { group, version } from "./vocabulary.ts";

export interface Definition<T extends KubeObject = KubeObject> {
  resource: ResourceType<T>;
  singular: string;
  shortNames: string[];
  categories: string[];
  /** Of everything but apiVersion, kind and metadata. */
  schema: z.ZodType;
  /** Whether the status is written apart from the rest, at `/status`. */
  statusSubresource: boolean;
  columns: PrinterColumn[];
  /** Fields by which a list or watch can be narrowed: `kubectl get ci --field-selector spec.ownerId=…`. */
  selectableFields: string[];
}

export interface PrinterColumn {
  name: string;
  type: "string" | "date" | "boolean" | "integer";
  jsonPath: string;
  description?: string;
  /** Above 0: only with `kubectl get -o wide`. */
  priority?: number;
}

export const Challenges = defineResource<Challenge>({
  group,
  version,
  resource: "challenges",
  kind: "Challenge",
  namespaced: true,
});

export const ChallengeInstances = defineResource<ChallengeInstance>({
  group,
  version,
  resource: "challengeinstances",
  kind: "ChallengeInstance",
  namespaced: true,
});

export const Competitions = defineResource<Competition>({
  group,
  version,
  resource: "competitions",
  kind: "Competition",
  namespaced: true,
});

export const Pages = defineResource<Page>({
  group,
  version,
  resource: "pages",
  kind: "Page",
  namespaced: true,
});

export const ContainerNetworks = defineResource<ContainerNetwork>({
  group,
  version,
  resource: "containernetworks",
  kind: "ContainerNetwork",
  namespaced: false,
});

export const ContainerNetworkTunnelProxies = defineResource<ContainerNetworkTunnelProxy>({
  group,
  version,
  resource: "containernetworktunnelproxies",
  kind: "ContainerNetworkTunnelProxy",
  namespaced: false,
});

// A column of type `date` shows how long ago something was, and `<invalid>` for what is still to come.
export const age: PrinterColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

export const challengeDefinition: Definition<Challenge> = {
  resource: Challenges,
  singular: "challenge",
  shortNames: ["chall"],
  categories: ["all"],
  schema: z
    .strictObject({ spec: challengeSpec })
    .describe(
      "A Challenge describes something to be hacked: what players read about it, and what an instance of it runs.",
    ),
  statusSubresource: false,
  columns: [
    { name: "Event", type: "string", jsonPath: ".spec.event" },
    { name: "Category", type: "string", jsonPath: ".spec.categories[0]" },
    { name: "Author", type: "string", jsonPath: ".spec.author" },
    { name: "Outbound Traffic", type: "boolean", jsonPath: ".spec.allowOutboundTraffic" },
    { name: "Hidden Until", type: "string", jsonPath: ".spec.hideUntil" },
    age,
  ],
  selectableFields: [".spec.event"],
};

export const challengeInstanceDefinition: Definition<ChallengeInstance> = {
  resource: ChallengeInstances,
  singular: "challengeinstance",
  shortNames: ["ci", "instance"],
  categories: ["all"],
  schema: ruled(z.strictObject({ spec: challengeInstanceSpec, status: challengeInstanceStatus.exactOptional() }), {
    cel: "!has(oldSelf.status) || has(self.status)",
    message: "status cannot be removed",
    field: "status",
    holds: (self, before) => before.status === undefined || self.status !== undefined,
  }).describe(
    "A ChallengeInstance is one owner's copy of a Challenge: isolated, with its own flag and addresses, and gone when its time is up.",
  ),
  statusSubresource: true,
  columns: [
    { name: "Challenge", type: "string", jsonPath: ".spec.challengeRef.name" },
    { name: "Owner", type: "string", jsonPath: ".spec.ownerId" },
    { name: "Phase", type: "string", jsonPath: ".status.phase" },
    { name: "Reason", type: "string", jsonPath: ".status.reason", priority: 1 },
    { name: "Namespace", type: "string", jsonPath: ".status.namespace" },
    age,
    { name: "Expires", type: "string", jsonPath: ".status.expiresAt" },
  ],
  selectableFields: [".spec.ownerId", ".spec.challengeRef.name", ".status.phase"],
};

export const competitionDefinition: Definition<Competition> = {
  resource: Competitions,
  singular: "competition",
  shortNames: ["comp"],
  categories: ["all"],
  schema: z
    .strictObject({ spec: competitionSpec })
    .describe(
      "A Competition holds the rules of one event: when it takes place, who may play and what a solve is worth.",
    ),
  statusSubresource: false,
  columns: [
    { name: "Title", type: "string", jsonPath: ".spec.title" },
    { name: "Start", type: "string", jsonPath: ".spec.start" },
    { name: "End", type: "string", jsonPath: ".spec.end" },
    { name: "Registration", type: "string", jsonPath: ".spec.registration.mode" },
    age,
  ],
  selectableFields: [],
};

export const pageDefinition: Definition<Page> = {
  resource: Pages,
  singular: "page",
  shortNames: [],
  categories: ["all"],
  schema: z.strictObject({ spec: pageSpec }).describe("A Page is a page of the website that the organisers write."),
  statusSubresource: false,
  columns: [
    { name: "Path", type: "string", jsonPath: ".spec.path" },
    { name: "Title", type: "string", jsonPath: ".spec.title" },
    { name: "Index", type: "integer", jsonPath: ".spec.index", priority: 1 },
    age,
  ],
  selectableFields: [".spec.path"],
};

const containerNetworkDefinition: Definition<ContainerNetwork> = {
  resource: ContainerNetworks,
  singular: "containernetwork",
  shortNames: ["ctrnet"],
  categories: [],
  schema: z
    .strictObject({ spec: containerNetworkSpec, status: containerNetworkStatus.exactOptional() })
    .describe("A ContainerNetwork is a network of the container engine, Docker or Podman, on this machine."),
  statusSubresource: true,
  columns: [
    { name: "Mode", type: "string", jsonPath: ".spec.mode" },
    { name: "State", type: "string", jsonPath: ".status.state" },
    { name: "Network", type: "string", jsonPath: ".status.networkName" },
    { name: "Subnet", type: "string", jsonPath: ".status.subnets[0]" },
    { name: "Message", type: "string", jsonPath: ".status.message", priority: 1 },
    age,
  ],
  selectableFields: [".spec.mode", ".status.state"],
};

const containerNetworkTunnelProxyDefinition: Definition<ContainerNetworkTunnelProxy> = {
  resource: ContainerNetworkTunnelProxies,
  singular: "containernetworktunnelproxy",
  shortNames: ["cntp"],
  categories: [],
  schema: z
    .strictObject({
      spec: containerNetworkTunnelProxySpec,
      status: containerNetworkTunnelProxyStatus.exactOptional(),
    })
    .describe(
      "A ContainerNetworkTunnelProxy opens the servers on the host that it names, and no others, to the containers of one network.",
    ),
  statusSubresource: true,
  columns: [
    { name: "Network", type: "string", jsonPath: ".spec.containerNetworkName" },
    { name: "State", type: "string", jsonPath: ".status.state" },
    { name: "Version", type: "integer", jsonPath: ".status.tunnelConfigurationVersion" },
    { name: "Message", type: "string", jsonPath: ".status.message", priority: 1 },
    age,
  ],
  selectableFields: [".spec.containerNetworkName", ".status.state"],
};

export const definitions: Definition[] = [
  challengeDefinition,
  challengeInstanceDefinition,
  competitionDefinition,
  pageDefinition,
  containerNetworkDefinition,
  containerNetworkTunnelProxyDefinition,
];
