/**
 * The fields of a Shoot, named and typed as Gardener does: crds.real.test.ts compares them. Where no test looks inside,
 * anything may be. What no Shoot has is dropped, as by any CRD; Gardener refuses it.
 */
import {
  blob,
  fields,
  flag,
  immutable,
  kept,
  listOf,
  oneOf,
  reference,
  type Schema,
  text,
  textMap,
  texts,
  time,
  whole,
  wholeOrText,
} from "./schema.ts";

const taint = fields({ "key!": text, value: text, "effect!": text, timeAdded: time });
const volume = fields({ name: text, type: text, "size!": text, encrypted: flag });

const worker = fields({
  annotations: textMap,
  caBundle: text,
  cri: fields({ "name!": text, containerRuntimes: listOf(blob) }),
  labels: textMap,
  "name!": { type: "string", maxLength: 15 },
  "machine!": fields({
    "type!": text,
    image: fields({ "name!": text, version: text, providerConfig: blob }),
    architecture: text,
  }),
  "maximum!": { type: "integer", minimum: 0 },
  "minimum!": { type: "integer", minimum: 0 },
  maxSurge: wholeOrText,
  maxUnavailable: wholeOrText,
  providerConfig: blob,
  taints: listOf(taint),
  volume,
  zones: texts,
  systemComponents: fields({ "allow!": flag }),
  sysctls: textMap,
  priority: whole,
  updateStrategy: text,
  clusterAutoscaler: blob,
  controlPlane: blob,
  dataVolumes: listOf(blob),
  kubeletDataVolumeName: text,
  kubernetes: blob,
  machineControllerManager: blob,
});

const kubeAPIServer = fields({
  enableAnonymousAuthentication: flag,
  auditConfig: fields({ auditPolicy: fields({ configMapRef: fields(reference) }) }),
  runtimeConfig: { type: "object", additionalProperties: flag },
  serviceAccountConfig: fields({
    issuer: text,
    acceptedIssuers: texts,
    extendTokenExpiration: flag,
    maxTokenExpiration: text,
  }),
  eventTTL: text,
  admissionPlugins: listOf(blob),
  apiAudiences: texts,
  autoscaling: blob,
  defaultNotReadyTolerationSeconds: whole,
  defaultUnreachableTolerationSeconds: whole,
  encryptionConfig: blob,
  featureGates: { type: "object", additionalProperties: flag },
  logging: blob,
  oidcConfig: blob,
  requests: blob,
  watchCacheSizes: blob,
  structuredAuthentication: fields({ "configMapName!": text }),
  structuredAuthorization: fields({
    "configMapName!": text,
    "kubeconfigs!": listOf(fields({ "authorizerName!": text, "secretName!": text })),
  }),
});

const spec = fields(
  {
    addons: blob,
    accessRestrictions: listOf(fields({ "name!": text, options: textMap })),
    cloudProfile: fields({ "kind!": oneOf("CloudProfile", "NamespacedCloudProfile"), "name!": text }),
    cloudProfileName: text,
    controlPlane: fields(
      {
        highAvailability: immutable(fields({ "failureTolerance!": fields({ "type!": oneOf("node", "zone") }) })),
      },
      [kept("highAvailability")],
    ),
    credentialsBindingName: text,
    dns: fields({ domain: immutable(text), providers: listOf(blob) }, [kept("domain")]),
    exposureClassName: immutable(text),
    extensions: listOf(fields({ "type!": text, disabled: flag, providerConfig: blob })),
    hibernation: fields({
      enabled: flag,
      schedules: listOf(fields({ start: text, end: text, location: text })),
    }),
    "kubernetes!": fields({
      kubeAPIServer,
      kubeControllerManager: blob,
      kubeScheduler: blob,
      kubeProxy: blob,
      kubelet: blob,
      clusterAutoscaler: blob,
      etcd: blob,
      verticalPodAutoscaler: blob,
      version: text,
    }),
    maintenance: fields({
      autoRotation: blob,
      autoUpdate: fields({ "kubernetesVersion!": flag, machineImageVersion: flag }),
      timeWindow: fields({ "begin!": text, "end!": text }),
      confineSpecUpdateRollout: flag,
    }),
    monitoring: blob,
    networking: fields(
      {
        type: immutable(text),
        providerConfig: blob,
        pods: immutable(text),
        nodes: immutable(text),
        services: immutable(text),
        ipFamilies: texts,
      },
      ["type", "pods", "nodes", "services"].map(kept),
    ),
    "provider!": fields({
      "type!": immutable(text),
      controlPlaneConfig: blob,
      infrastructureConfig: blob,
      workers: listOf(worker),
      workersSettings: fields({ sshAccess: fields({ "enabled!": flag }) }),
    }),
    purpose: oneOf("evaluation", "testing", "development", "production", "infrastructure"),
    "region!": immutable(text),
    resources: listOf(
      fields({ "name!": text, "resourceRef!": fields({ apiVersion: text, "kind!": text, "name!": text }) }),
    ),
    schedulerName: text,
    secretBindingName: immutable(text),
    seedName: text,
    seedSelector: fields({ matchLabels: textMap, providerTypes: texts, matchExpressions: listOf(blob) }),
    systemComponents: blob,
    tolerations: listOf(fields({ "key!": text, value: text })),
  },
  [
    kept("secretBindingName"),
    kept("credentialsBindingName"),
    kept("exposureClassName"),
    {
      rule: "has(self.secretBindingName) != has(self.credentialsBindingName)",
      message: "must provide either secretBindingName or credentialsBindingName",
    },
  ],
);

const condition = fields({
  "type!": text,
  "status!": oneOf("True", "False", "Unknown", "Progressing"),
  "lastTransitionTime!": time,
  "lastUpdateTime!": time,
  "reason!": text,
  "message!": text,
  codes: texts,
});

const phase = oneOf(
  "Preparing",
  "PreparingWithoutWorkersRollout",
  "WaitingForWorkersRollout",
  "Prepared",
  "Completing",
  "Completed",
);
const rotation = fields({
  "phase!": phase,
  lastInitiationTime: time,
  lastInitiationFinishedTime: time,
  lastCompletionTriggeredTime: time,
  lastCompletionTime: time,
  pendingWorkersRollouts: listOf(blob),
});

const empty = { ...text, default: "" };
const unwritten = { gardener: { id: "", name: "", version: "" }, hibernated: false, technicalID: "", uid: "" };

const status = fields({
  advertisedAddresses: listOf(fields({ "name!": text, "url!": text, application: text })),
  clusterIdentity: text,
  conditions: listOf(condition),
  constraints: listOf(condition),
  credentials: fields({
    encryptionAtRest: blob,
    rotation: fields({
      certificateAuthorities: rotation,
      serviceAccountKey: rotation,
      etcdEncryptionKey: blob,
      observability: blob,
      sshKeypair: blob,
    }),
  }),
  // These are never missing, and empty until somebody writes them.
  "gardener!": { ...fields({ "id!": text, "name!": text, "version!": text }), default: unwritten.gardener },
  "hibernated!": { ...flag, default: unwritten.hibernated },
  inPlaceUpdates: blob,
  lastErrors: listOf(fields({ "description!": text, taskID: text, codes: texts, lastUpdateTime: time })),
  lastOperation: fields({
    "description!": text,
    "lastUpdateTime!": time,
    "progress!": { type: "integer", minimum: 0, maximum: 100 },
    "state!": oneOf("Processing", "Succeeded", "Error", "Failed", "Pending", "Aborted"),
    "type!": oneOf("Create", "Reconcile", "Delete", "Migrate", "Restore", "LiveMigrate"),
  }),
  lastHibernationTriggerTime: time,
  lastMaintenance: blob,
  manualWorkerPoolRollout: blob,
  migrationStartTime: time,
  networking: fields({ pods: texts, nodes: texts, services: texts, egressCIDRs: texts }),
  observedGeneration: whole,
  retryCycleStartTime: time,
  seedName: text,
  "technicalID!": empty,
  "uid!": empty,
});

export const shootSchema: Schema = fields({ "spec!": spec, status: { ...status, default: unwritten } });
