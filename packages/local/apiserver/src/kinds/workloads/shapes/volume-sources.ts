/**
 * Where the content of a volume comes from: everything but config maps, secrets and claims, which are in volumes.ts.
 * Long, as the API is; there is nothing in it to understand.
 */
import { always, bool, choice, int32, kept, list, mapOf, object, quantity, text } from "../../shapes.ts";
import { localObjectReference } from "./references.ts";

export const awsElasticBlockStoreVolumeSource = object(
  {
    fsType: text(),
    partition: int32(),
    readOnly: bool(),
    volumeID: always(text()),
  },
  ["volumeID"],
);

export const azureDiskVolumeSource = object(
  {
    cachingMode: kept({ ...choice("None", "ReadOnly", "ReadWrite"), default: "ReadWrite" }),
    diskName: always(text()),
    diskURI: always(text()),
    fsType: kept(text({ default: "ext4" })),
    kind: kept({ ...choice("Dedicated", "Managed", "Shared"), default: "Shared" }),
    readOnly: kept(bool()),
  },
  ["diskName", "diskURI"],
);

export const azureFileVolumeSource = object(
  {
    readOnly: bool(),
    secretName: always(text()),
    shareName: always(text()),
  },
  ["secretName", "shareName"],
);

export const cephFSVolumeSource = object(
  {
    monitors: list(text()),
    path: text(),
    readOnly: bool(),
    secretFile: text(),
    secretRef: localObjectReference,
    user: text(),
  },
  ["monitors"],
);

export const cinderVolumeSource = object(
  {
    fsType: text(),
    readOnly: bool(),
    secretRef: localObjectReference,
    volumeID: always(text()),
  },
  ["volumeID"],
);

export const csiVolumeSource = object(
  {
    driver: always(text()),
    fsType: kept(text()),
    nodePublishSecretRef: localObjectReference,
    readOnly: kept(bool()),
    volumeAttributes: mapOf(text()),
  },
  ["driver"],
);

export const emptyDirVolumeSource = object({
  medium: text(),
  sizeLimit: quantity(),
});

export const fcVolumeSource = object({
  fsType: text(),
  lun: kept(int32()),
  readOnly: bool(),
  targetWWNs: list(text()),
  wwids: list(text()),
});

export const flexVolumeSource = object(
  {
    driver: always(text()),
    fsType: text(),
    options: mapOf(text()),
    readOnly: bool(),
    secretRef: localObjectReference,
  },
  ["driver"],
);

export const flockerVolumeSource = object({
  datasetName: text(),
  datasetUUID: text(),
});

export const gcePersistentDiskVolumeSource = object(
  {
    fsType: text(),
    partition: int32(),
    pdName: always(text()),
    readOnly: bool(),
  },
  ["pdName"],
);

export const gitRepoVolumeSource = object(
  {
    directory: text(),
    repository: always(text()),
    revision: text(),
  },
  ["repository"],
);

export const glusterfsVolumeSource = object(
  {
    endpoints: always(text()),
    path: always(text()),
    readOnly: bool(),
  },
  ["endpoints", "path"],
);

export const hostPathVolumeSource = object(
  {
    path: always(text()),
    type: kept(
      choice("", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"),
    ),
  },
  ["path"],
);

export const imageVolumeSource = object({
  pullPolicy: choice("Always", "IfNotPresent", "Never"),
  reference: text(),
});

export const iscsiVolumeSource = object(
  {
    chapAuthDiscovery: bool(),
    chapAuthSession: bool(),
    fsType: text(),
    initiatorName: kept(text()),
    iqn: always(text()),
    iscsiInterface: text({ default: "default" }),
    lun: always(int32()),
    portals: list(text()),
    readOnly: bool(),
    secretRef: localObjectReference,
    targetPortal: always(text()),
  },
  ["targetPortal", "iqn", "lun"],
);

export const nfsVolumeSource = object(
  {
    path: always(text()),
    readOnly: bool(),
    server: always(text()),
  },
  ["server", "path"],
);

export const persistentVolumeClaimVolumeSource = object(
  {
    claimName: always(text()),
    readOnly: bool(),
  },
  ["claimName"],
);

export const photonPersistentDiskVolumeSource = object(
  {
    fsType: text(),
    pdID: always(text()),
  },
  ["pdID"],
);

export const portworxVolumeSource = object(
  {
    fsType: text(),
    readOnly: bool(),
    volumeID: always(text()),
  },
  ["volumeID"],
);

export const quobyteVolumeSource = object(
  {
    group: text(),
    readOnly: bool(),
    registry: always(text()),
    tenant: text(),
    user: text(),
    volume: always(text()),
  },
  ["registry", "volume"],
);

export const rbdVolumeSource = object(
  {
    fsType: text(),
    image: always(text()),
    keyring: text({ default: "/etc/ceph/keyring" }),
    monitors: list(text()),
    pool: text({ default: "rbd" }),
    readOnly: bool(),
    secretRef: localObjectReference,
    user: text({ default: "admin" }),
  },
  ["monitors", "image"],
);

export const scaleIOVolumeSource = object(
  {
    fsType: text({ default: "xfs" }),
    gateway: always(text()),
    protectionDomain: text(),
    readOnly: bool(),
    secretRef: localObjectReference,
    sslEnabled: bool(),
    storageMode: text({ default: "ThinProvisioned" }),
    storagePool: text(),
    system: always(text()),
    volumeName: text(),
  },
  ["gateway", "system", "secretRef"],
);

export const storageOSVolumeSource = object({
  fsType: text(),
  readOnly: bool(),
  secretRef: localObjectReference,
  volumeName: text(),
  volumeNamespace: text(),
});

export const vsphereVirtualDiskVolumeSource = object(
  {
    fsType: text(),
    storagePolicyID: text(),
    storagePolicyName: text(),
    volumePath: always(text()),
  },
  ["volumePath"],
);
