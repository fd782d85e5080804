/** What a pod is to be, and the template from which others make pods. */
import { metadataSchema } from "../../../schema/metadata/metadata-schema.ts";
import {
  always,
  atomicMapOf,
  bool,
  choice,
  int32,
  int64,
  kept,
  list,
  listMap,
  mapOf,
  object,
  patchedBy,
  quantity,
  text,
} from "../../shapes.ts";
import { container, ephemeralContainer } from "./containers.ts";
import { localObjectReference, resourceRequirements } from "./references.ts";
import { affinity, toleration, topologySpreadConstraint } from "./scheduling.ts";
import { podSecurityContext } from "./security.ts";
import { volume } from "./volumes.ts";

const podDNSConfigOption = object({
  name: text(),
  value: kept(text()),
});

const podDNSConfig = object({
  nameservers: list(text()),
  options: list(podDNSConfigOption),
  searches: list(text()),
});

const hostAlias = object(
  {
    hostnames: list(text()),
    ip: always(text()),
  },
  ["ip"],
);

const podOS = object(
  {
    name: always(text()),
  },
  ["name"],
);

const podReadinessGate = object(
  {
    conditionType: always(text()),
  },
  ["conditionType"],
);

const podResourceClaim = object(
  {
    name: always(text()),
    resourceClaimName: kept(text()),
    resourceClaimTemplateName: kept(text()),
  },
  ["name"],
);

const podSchedulingGate = object(
  {
    name: always(text()),
  },
  ["name"],
);

const podSchedulingGroup = object({
  podGroupName: kept(text()),
});

export const podSpec = object(
  {
    activeDeadlineSeconds: kept(int64()),
    affinity,
    automountServiceAccountToken: kept(bool()),
    containers: listMap(["name"], container, "name"),
    dnsConfig: podDNSConfig,
    dnsPolicy: choice("ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"),
    enableServiceLinks: kept(bool()),
    ephemeralContainers: listMap(["name"], ephemeralContainer, "name"),
    hostAliases: listMap(["ip"], hostAlias, "ip"),
    hostIPC: bool(),
    hostNetwork: bool(),
    hostPID: bool(),
    hostUsers: kept(bool()),
    hostname: text(),
    hostnameOverride: kept(text()),
    imagePullSecrets: listMap(["name"], localObjectReference, "name"),
    initContainers: listMap(["name"], container, "name"),
    nodeName: text(),
    nodeSelector: atomicMapOf(text()),
    os: podOS,
    overhead: mapOf(quantity()),
    preemptionPolicy: kept(choice("Never", "PreemptLowerPriority")),
    priority: kept(int32()),
    priorityClassName: text(),
    readinessGates: list(podReadinessGate),
    resourceClaims: patchedBy("merge,retainKeys", listMap(["name"], podResourceClaim, "name")),
    resources: resourceRequirements,
    restartPolicy: choice("Always", "Never", "OnFailure"),
    runtimeClassName: kept(text()),
    schedulerName: text(),
    schedulingGates: listMap(["name"], podSchedulingGate, "name"),
    schedulingGroup: podSchedulingGroup,
    securityContext: podSecurityContext,
    serviceAccount: text(),
    serviceAccountName: text(),
    setHostnameAsFQDN: kept(bool()),
    shareProcessNamespace: kept(bool()),
    subdomain: text(),
    terminationGracePeriodSeconds: kept(int64()),
    tolerations: list(toleration),
    topologySpreadConstraints: listMap(["topologyKey", "whenUnsatisfiable"], topologySpreadConstraint, "topologyKey"),
    volumes: patchedBy("merge,retainKeys", listMap(["name"], volume, "name")),
  },
  ["containers"],
);

export const podTemplateSpec = object({
  metadata: always(metadataSchema),
  spec: always(podSpec),
});
