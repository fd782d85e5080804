/** Volumes of a pod, and those sources that are made of other objects. Long, as the API is; there is nothing in it to understand. */
import { metadataSchema } from "../../../schema/metadata/metadata-schema.ts";
import {
  always,
  atomicObject,
  bool,
  choice,
  int32,
  int64,
  kept,
  list,
  mapOf,
  object,
  quantity,
  text,
} from "../../shapes.ts";
import { labelSelector } from "./meta.ts";
import { objectFieldSelector, resourceFieldSelector } from "./references.ts";
import {
  awsElasticBlockStoreVolumeSource,
  azureDiskVolumeSource,
  azureFileVolumeSource,
  cephFSVolumeSource,
  cinderVolumeSource,
  csiVolumeSource,
  emptyDirVolumeSource,
  fcVolumeSource,
  flexVolumeSource,
  flockerVolumeSource,
  gcePersistentDiskVolumeSource,
  gitRepoVolumeSource,
  glusterfsVolumeSource,
  hostPathVolumeSource,
  imageVolumeSource,
  iscsiVolumeSource,
  nfsVolumeSource,
  persistentVolumeClaimVolumeSource,
  photonPersistentDiskVolumeSource,
  portworxVolumeSource,
  quobyteVolumeSource,
  rbdVolumeSource,
  scaleIOVolumeSource,
  storageOSVolumeSource,
  vsphereVirtualDiskVolumeSource,
} from "./volume-sources.ts";

const keyToPath = object(
  {
    key: always(text()),
    mode: kept(int32()),
    path: always(text()),
  },
  ["key", "path"],
);

const configMapVolumeSource = object({
  defaultMode: kept(int32()),
  items: list(keyToPath),
  name: text(),
  optional: kept(bool()),
});

const secretVolumeSource = object({
  defaultMode: kept(int32()),
  items: list(keyToPath),
  optional: kept(bool()),
  secretName: text(),
});

const downwardAPIVolumeFile = object(
  {
    fieldRef: objectFieldSelector,
    mode: kept(int32()),
    path: always(text()),
    resourceFieldRef: resourceFieldSelector,
  },
  ["path"],
);

const downwardAPIVolumeSource = object({
  defaultMode: kept(int32()),
  items: list(downwardAPIVolumeFile),
});

const clusterTrustBundleProjection = object(
  {
    labelSelector,
    name: kept(text()),
    optional: kept(bool()),
    path: always(text()),
    signerName: kept(text()),
  },
  ["path"],
);

const configMapProjection = object({
  items: list(keyToPath),
  name: text(),
  optional: kept(bool()),
});

const downwardAPIProjection = object({
  items: list(downwardAPIVolumeFile),
});

const podCertificateProjection = object(
  {
    certificateChainPath: text(),
    credentialBundlePath: text(),
    keyPath: text(),
    keyType: always(text()),
    maxExpirationSeconds: kept(int32()),
    signerName: always(text()),
    userAnnotations: mapOf(text()),
  },
  ["signerName", "keyType"],
);

const secretProjection = object({
  items: list(keyToPath),
  name: text(),
  optional: kept(bool()),
});

const serviceAccountTokenProjection = object(
  {
    audience: text(),
    expirationSeconds: kept(int64()),
    path: always(text()),
  },
  ["path"],
);

const volumeProjection = object({
  clusterTrustBundle: clusterTrustBundleProjection,
  configMap: configMapProjection,
  downwardAPI: downwardAPIProjection,
  podCertificate: podCertificateProjection,
  secret: secretProjection,
  serviceAccountToken: serviceAccountTokenProjection,
});

const projectedVolumeSource = object({
  defaultMode: kept(int32()),
  sources: always(list(volumeProjection)),
});

const typedLocalObjectReference = atomicObject(
  {
    apiGroup: kept(text()),
    kind: always(text()),
    name: always(text()),
  },
  ["kind", "name"],
);

const typedObjectReference = object(
  {
    apiGroup: kept(text()),
    kind: always(text()),
    name: always(text()),
    namespace: kept(text()),
  },
  ["kind", "name"],
);

const volumeResourceRequirements = object({
  limits: mapOf(quantity()),
  requests: mapOf(quantity()),
});

const persistentVolumeClaimSpec = object({
  accessModes: list(choice("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")),
  dataSource: typedLocalObjectReference,
  dataSourceRef: typedObjectReference,
  resources: always(volumeResourceRequirements),
  selector: labelSelector,
  storageClassName: kept(text()),
  volumeAttributesClassName: kept(text()),
  volumeMode: kept(choice("Block", "Filesystem")),
  volumeName: text(),
});

const persistentVolumeClaimTemplate = object(
  {
    metadata: always(metadataSchema),
    spec: always(persistentVolumeClaimSpec),
  },
  ["spec"],
);

const ephemeralVolumeSource = object({
  volumeClaimTemplate: persistentVolumeClaimTemplate,
});

export const volume = object(
  {
    awsElasticBlockStore: awsElasticBlockStoreVolumeSource,
    azureDisk: azureDiskVolumeSource,
    azureFile: azureFileVolumeSource,
    cephfs: cephFSVolumeSource,
    cinder: cinderVolumeSource,
    configMap: configMapVolumeSource,
    csi: csiVolumeSource,
    downwardAPI: downwardAPIVolumeSource,
    emptyDir: emptyDirVolumeSource,
    ephemeral: ephemeralVolumeSource,
    fc: fcVolumeSource,
    flexVolume: flexVolumeSource,
    flocker: flockerVolumeSource,
    gcePersistentDisk: gcePersistentDiskVolumeSource,
    gitRepo: gitRepoVolumeSource,
    glusterfs: glusterfsVolumeSource,
    hostPath: hostPathVolumeSource,
    image: imageVolumeSource,
    iscsi: iscsiVolumeSource,
    name: always(text()),
    nfs: nfsVolumeSource,
    persistentVolumeClaim: persistentVolumeClaimVolumeSource,
    photonPersistentDisk: photonPersistentDiskVolumeSource,
    portworxVolume: portworxVolumeSource,
    projected: projectedVolumeSource,
    quobyte: quobyteVolumeSource,
    rbd: rbdVolumeSource,
    scaleIO: scaleIOVolumeSource,
    secret: secretVolumeSource,
    storageos: storageOSVolumeSource,
    vsphereVolume: vsphereVirtualDiskVolumeSource,
  },
  ["name"],
);
