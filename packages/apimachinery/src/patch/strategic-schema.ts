/**
 * How the lists and objects of the built-in kinds are merged by a strategic merge patch. What is not named here is
 * merged field by field if it is an object, and replaced if it is a list. Checked against the struct tags of
 * Kubernetes 1.36.
 */
export interface StrategicSchema {
  readonly [field: string]: FieldRule;
}

export interface FieldRule {
  /** The rules inside this object, or inside each element of this list. */
  readonly fields?: StrategicSchema;
  /** For a list of objects that is merged: the field by which its elements are told apart. */
  readonly mergeKey?: string;
  /** For a list of plain values that is merged as a set. */
  readonly set?: true;
  /** One of several alternatives is chosen by the fields that are there, so a patch lists those that may stay. */
  readonly retainKeys?: true;
  /** An object that is replaced, never merged. */
  readonly replace?: true;
}

const by = (mergeKey: string, fields: StrategicSchema = {}): FieldRule => ({ mergeKey, fields });
const inside = (fields: StrategicSchema): FieldRule => ({ fields });
const set: FieldRule = { set: true };
const conditions = by("type");

const metadata = inside({ ownerReferences: by("uid"), finalizers: set });

const containers = by("name", {
  env: by("name"),
  ports: by("containerPort"),
  volumeDevices: by("devicePath"),
  volumeMounts: by("mountPath"),
});

const podSpec = inside({
  containers,
  ephemeralContainers: containers,
  hostAliases: by("ip"),
  imagePullSecrets: by("name"),
  initContainers: containers,
  resourceClaims: { ...by("name"), retainKeys: true },
  schedulingGates: by("name"),
  topologySpreadConstraints: by("topologyKey"),
  volumes: {
    ...by("name", { ephemeral: inside({ volumeClaimTemplate: inside({ metadata }) }) }),
    retainKeys: true,
  },
});

const podStatus = inside({
  conditions,
  hostIPs: by("ip"),
  podIPs: by("ip"),
  resourceClaimStatuses: { ...by("name"), retainKeys: true },
});

const podTemplate = inside({ metadata, spec: podSpec });
const withConditions = inside({ conditions });
const workload: StrategicSchema = { spec: inside({ template: podTemplate }), status: withConditions };
const webhooks: StrategicSchema = { webhooks: by("name", { matchConditions: by("name") }) };
const plain: StrategicSchema = {};

/** By group, then kind; `metadata` goes without saying. */
const kinds: Record<string, Record<string, StrategicSchema>> = {
  "": {
    ComponentStatus: { conditions },
    ConfigMap: plain,
    Endpoints: plain,
    Event: plain,
    LimitRange: plain,
    Namespace: { status: withConditions },
    Node: { spec: inside({ podCIDRs: set }), status: inside({ addresses: by("type"), conditions }) },
    PersistentVolume: plain,
    PersistentVolumeClaim: { status: withConditions },
    Pod: { spec: podSpec, status: podStatus },
    PodTemplate: { template: podTemplate },
    ReplicationController: workload,
    ResourceQuota: plain,
    Secret: plain,
    Service: { spec: inside({ ports: by("port") }), status: withConditions },
    ServiceAccount: { secrets: by("name") },
  },
  "admissionregistration.k8s.io": {
    MutatingAdmissionPolicy: { spec: inside({ matchConditions: by("name") }) },
    MutatingAdmissionPolicyBinding: plain,
    MutatingWebhookConfiguration: webhooks,
    ValidatingAdmissionPolicy: { spec: inside({ matchConditions: by("name"), variables: by("name") }) },
    ValidatingAdmissionPolicyBinding: plain,
    ValidatingWebhookConfiguration: webhooks,
  },
  "apiextensions.k8s.io": { CustomResourceDefinition: plain },
  "apiregistration.k8s.io": { APIService: { status: withConditions } },
  apps: {
    ControllerRevision: plain,
    DaemonSet: workload,
    Deployment: { ...workload, spec: inside({ strategy: { retainKeys: true }, template: podTemplate }) },
    ReplicaSet: workload,
    StatefulSet: workload,
  },
  autoscaling: { HorizontalPodAutoscaler: { status: withConditions }, Scale: plain },
  batch: {
    CronJob: { spec: inside({ jobTemplate: inside({ metadata, spec: inside({ template: podTemplate }) }) }) },
    Job: workload,
  },
  "certificates.k8s.io": {
    CertificateSigningRequest: plain,
    ClusterTrustBundle: plain,
    PodCertificateRequest: { status: withConditions },
  },
  "coordination.k8s.io": { Lease: plain, LeaseCandidate: plain },
  "discovery.k8s.io": { EndpointSlice: plain },
  "events.k8s.io": { Event: plain },
  "flowcontrol.apiserver.k8s.io": {
    FlowSchema: { status: withConditions },
    PriorityLevelConfiguration: { status: withConditions },
  },
  "networking.k8s.io": {
    Ingress: plain,
    IngressClass: plain,
    IPAddress: plain,
    NetworkPolicy: plain,
    ServiceCIDR: { status: withConditions },
  },
  "node.k8s.io": { RuntimeClass: plain },
  policy: { PodDisruptionBudget: { spec: inside({ selector: { replace: true } }), status: withConditions } },
  "rbac.authorization.k8s.io": { ClusterRole: plain, ClusterRoleBinding: plain, Role: plain, RoleBinding: plain },
  "resource.k8s.io": {
    DeviceClass: plain,
    DeviceTaintRule: { status: withConditions },
    ResourceClaim: { status: inside({ reservedFor: by("uid") }) },
    ResourceClaimTemplate: { spec: inside({ metadata }) },
    ResourceSlice: plain,
  },
  "scheduling.k8s.io": { PriorityClass: plain },
  "storage.k8s.io": {
    CSIDriver: plain,
    CSINode: { spec: inside({ drivers: by("name") }) },
    CSIStorageCapacity: plain,
    StorageClass: plain,
    VolumeAttachment: plain,
    VolumeAttributesClass: plain,
  },
  "storagemigration.k8s.io": { StorageVersionMigration: { status: withConditions } },
};

const schemas = new Map(
  Object.entries(kinds).flatMap(([group, ofGroup]) =>
    Object.entries(ofGroup).map(([kind, schema]) => [`${kind}.${group}`, { metadata, ...schema }] as const),
  ),
);

/** `undefined` for a custom resource: Kubernetes refuses a strategic merge patch of those (415). */
export function strategicSchemaFor(type: { group: string; kind: string }): StrategicSchema | undefined {
  return schemas.get(`${type.kind}.${type.group}`);
}

const mergeAsUsual: FieldRule = {};

export function ruleOf(schema: StrategicSchema | undefined, field: string): FieldRule {
  return (schema && Object.hasOwn(schema, field) ? schema[field] : undefined) ?? mergeAsUsual;
}
