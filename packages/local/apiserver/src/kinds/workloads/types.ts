/**
 * The parts of workloads that the rules here read. A field that nothing reads stands in the shapes alone. All of it is in
 * one file, long as it is: it is one vocabulary, and most rules need several of its words.
 */
import type { LabelSelector, ObjectMeta } from "@berg/apimachinery";
import type { AnyObject } from "../../registry/resource.ts";
import type { IntOrPercent } from "../checks/field-rules.ts";

export type ResourceList = Record<string, string>;

export interface ResourceRequirements {
  limits?: ResourceList;
  requests?: ResourceList;
  claims?: { name: string; request?: string }[];
}

export interface Handler {
  exec?: { command?: string[] };
  httpGet?: { path?: string; port: IntOrPercent; scheme?: string; httpHeaders?: { name: string; value: string }[] };
  tcpSocket?: { port: IntOrPercent };
  grpc?: { port: number; service?: string };
  sleep?: { seconds: number };
}

export interface Probe extends Handler {
  initialDelaySeconds?: number;
  timeoutSeconds?: number;
  periodSeconds?: number;
  successThreshold?: number;
  failureThreshold?: number;
  terminationGracePeriodSeconds?: number;
}

export interface Profile {
  type: string;
  localhostProfile?: string;
}

export interface SecurityContext {
  privileged?: boolean;
  allowPrivilegeEscalation?: boolean;
  capabilities?: { add?: string[]; drop?: string[] };
  runAsUser?: number;
  runAsGroup?: number;
  procMount?: string;
  seccompProfile?: Profile;
  appArmorProfile?: Profile;
  seLinuxOptions?: { user?: string; role?: string; type?: string; level?: string };
  windowsOptions?: object;
}

export interface PodSecurityContext
  extends Pick<SecurityContext, "runAsUser" | "runAsGroup" | "seccompProfile" | "appArmorProfile" | "windowsOptions"> {
  fsGroup?: number;
  fsGroupChangePolicy?: string;
  supplementalGroups?: number[];
  supplementalGroupsPolicy?: string;
  seLinuxChangePolicy?: string;
  sysctls?: { name: string; value: string }[];
}

export interface FieldReference {
  apiVersion?: string;
  fieldPath: string;
}

export interface ResourceReference {
  containerName?: string;
  resource: string;
  divisor?: string;
}

interface KeyReference {
  name?: string;
  key: string;
  optional?: boolean;
}

export interface EnvVar {
  name: string;
  value?: string;
  valueFrom?: {
    fieldRef?: FieldReference;
    resourceFieldRef?: ResourceReference;
    configMapKeyRef?: KeyReference;
    secretKeyRef?: KeyReference;
    fileKeyRef?: { key: string; path: string; volumeName: string };
  };
}

export interface EnvFrom {
  prefix?: string;
  configMapRef?: { name?: string };
  secretRef?: { name?: string };
}

export interface ContainerPort {
  name?: string;
  containerPort: number;
  hostPort?: number;
  hostIP?: string;
  protocol?: string;
}

export interface VolumeMount {
  name: string;
  mountPath: string;
  readOnly?: boolean;
  recursiveReadOnly?: string;
  subPath?: string;
  subPathExpr?: string;
  mountPropagation?: string;
}

export interface Container {
  name: string;
  image?: string;
  imagePullPolicy?: string;
  terminationMessagePath?: string;
  terminationMessagePolicy?: string;
  ports?: ContainerPort[];
  env?: EnvVar[];
  envFrom?: EnvFrom[];
  volumeMounts?: VolumeMount[];
  volumeDevices?: { name: string; devicePath: string }[];
  resources?: ResourceRequirements;
  resizePolicy?: { resourceName: string; restartPolicy: string }[];
  restartPolicy?: string;
  restartPolicyRules?: { action?: string; exitCodes?: { operator?: string; values?: number[] } }[];
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  startupProbe?: Probe;
  lifecycle?: { postStart?: Handler; preStop?: Handler; stopSignal?: string };
  securityContext?: SecurityContext;
  targetContainerName?: string;
}

export interface KeyToPath {
  key: string;
  path: string;
  mode?: number;
}

export interface DownwardFile {
  path: string;
  mode?: number;
  fieldRef?: FieldReference;
  resourceFieldRef?: ResourceReference;
}

export interface Projection {
  secret?: { name?: string; items?: KeyToPath[] };
  configMap?: { name?: string; items?: KeyToPath[] };
  downwardAPI?: { items?: DownwardFile[] };
  serviceAccountToken?: { path: string; expirationSeconds?: number };
  clusterTrustBundle?: object;
  podCertificate?: object;
}

/** A source that has rules of its own is named; every other one is there under its name. */
export interface Volume {
  name: string;
  emptyDir?: { sizeLimit?: string };
  hostPath?: { path: string; type?: string };
  secret?: { secretName?: string; defaultMode?: number; items?: KeyToPath[] };
  configMap?: { name?: string; defaultMode?: number; items?: KeyToPath[] };
  downwardAPI?: { defaultMode?: number; items?: DownwardFile[] };
  projected?: { defaultMode?: number; sources?: Projection[] | null };
  persistentVolumeClaim?: { claimName: string };
  ephemeral?: { volumeClaimTemplate?: { spec?: { volumeMode?: string } } };
  image?: { reference?: string; pullPolicy?: string };
  [source: string]: unknown;
}

export interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

export interface NodeRequirement {
  key: string;
  operator: string;
  values?: string[];
}

export interface NodeSelectorTerm {
  matchExpressions?: NodeRequirement[];
  matchFields?: NodeRequirement[];
}

export interface PodAffinityTerm {
  labelSelector?: LabelSelector;
  namespaceSelector?: LabelSelector;
  namespaces?: string[];
  topologyKey: string;
  matchLabelKeys?: string[];
  mismatchLabelKeys?: string[];
}

export interface PodAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
  preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; podAffinityTerm: PodAffinityTerm }[];
}

export interface Affinity {
  nodeAffinity?: {
    requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms: NodeSelectorTerm[] | null };
    preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; preference: NodeSelectorTerm }[];
  };
  podAffinity?: PodAffinity;
  podAntiAffinity?: PodAffinity;
}

export interface TopologySpreadConstraint {
  maxSkew: number;
  topologyKey: string;
  whenUnsatisfiable: string;
  labelSelector?: LabelSelector;
  minDomains?: number;
  nodeAffinityPolicy?: string;
  nodeTaintsPolicy?: string;
  matchLabelKeys?: string[];
}

export interface PodSpec {
  containers: Container[] | null;
  initContainers?: Container[];
  ephemeralContainers?: Container[];
  volumes?: Volume[];
  restartPolicy?: string;
  dnsPolicy?: string;
  dnsConfig?: { nameservers?: string[]; searches?: string[]; options?: { name?: string; value?: string }[] };
  terminationGracePeriodSeconds?: number;
  activeDeadlineSeconds?: number;
  nodeName?: string;
  nodeSelector?: Record<string, string>;
  affinity?: Affinity;
  tolerations?: Toleration[];
  topologySpreadConstraints?: TopologySpreadConstraint[];
  schedulerName?: string;
  schedulingGates?: { name: string }[];
  schedulingGroup?: object;
  readinessGates?: { conditionType: string }[];
  serviceAccount?: string;
  serviceAccountName?: string;
  securityContext?: PodSecurityContext;
  hostNetwork?: boolean;
  hostPID?: boolean;
  hostIPC?: boolean;
  hostUsers?: boolean;
  shareProcessNamespace?: boolean;
  hostname?: string;
  hostnameOverride?: string;
  setHostnameAsFQDN?: boolean;
  subdomain?: string;
  hostAliases?: { ip: string; hostnames?: string[] }[];
  priorityClassName?: string;
  preemptionPolicy?: string;
  runtimeClassName?: string;
  overhead?: ResourceList;
  os?: { name: string };
  resources?: ResourceRequirements;
  resourceClaims?: { name: string; resourceClaimName?: string; resourceClaimTemplateName?: string }[];
  enableServiceLinks?: boolean;
}

export interface ContainerState {
  waiting?: { reason?: string };
  running?: { startedAt?: string | null };
  terminated?: { exitCode: number; signal?: number; reason?: string; finishedAt?: string | null };
}

export interface ContainerStatus {
  name: string;
  ready: boolean;
  restartCount: number;
  started?: boolean;
  state: ContainerState;
  lastState: ContainerState;
}

export interface PodCondition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
  lastProbeTime?: string | null;
  lastTransitionTime?: string | null;
  observedGeneration?: number;
}

export interface PodStatus {
  phase?: string;
  reason?: string;
  qosClass?: string;
  conditions?: PodCondition[];
  containerStatuses?: ContainerStatus[];
  initContainerStatuses?: ContainerStatus[];
  ephemeralContainerStatuses?: ContainerStatus[];
  podIP?: string;
  podIPs?: { ip: string }[];
  hostIP?: string;
  hostIPs?: { ip: string }[];
  nominatedNodeName?: string;
  observedGeneration?: number;
}

export interface Pod {
  metadata: ObjectMeta;
  spec: PodSpec;
  status: PodStatus;
}

export interface PodTemplate {
  metadata?: Pick<ObjectMeta, "labels" | "annotations">;
  spec: PodSpec;
}

/** Whoever asks says that it is one: the shape was checked when it was read. */
export function asA<T>(object: AnyObject): T {
  return object as unknown as T;
}
