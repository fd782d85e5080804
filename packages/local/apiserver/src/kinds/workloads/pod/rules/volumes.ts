/** Volumes of a pod. Of sources that only plug-ins of old can mount, no more is checked than that they are complete. */

import { parseQuantity } from "@berg/apimachinery";
import { duplicate, type FieldError, forbidden, invalid, required } from "../../../../errors/field-error.ts";
import { labelProblems, subdomainProblems } from "../../../../schema/metadata/names.ts";
import { each, oneOf, pathDownwards, pathWithoutBacksteps } from "../../../checks/field-rules.ts";
import { volume as volumeShape } from "../../shapes/volumes.ts";
import type { DownwardFile, KeyToPath, PodSpec, Volume } from "../../types.ts";
import { fieldReference, fieldsForVolumes, resourceReference } from "./environment.ts";
import { projectedSources } from "./projected-volumes.ts";
import { pullPolicy } from "./pull-policy.ts";

/** `podName` of a pod that has one: claims are made from it. */
export interface VolumesOwner {
  isPod: boolean;
  podName?: string;
}

/** By name, those that containers may mount. */
export interface Volumes {
  usable: Map<string, Volume>;
  errors: FieldError[];
}

export function volumes(path: string, spec: PodSpec, owner: VolumesOwner): Volumes {
  const usable = new Map<string, Volume>();
  const errors: FieldError[] = [];
  const made = (spec.volumes ?? []).filter(({ ephemeral }) => ephemeral).map(({ name }) => `${owner.podName}-${name}`);
  for (const [index, volume] of (spec.volumes ?? []).entries()) {
    const at = `${path}[${index}]`;
    const { name } = volume;
    const wrong = source(at, volume, owner);
    wrong.push(...(name === "" ? [required(`${at}.name`)] : each(`${at}.name`, name, labelProblems(name))));
    if (usable.has(name)) wrong.push(duplicate(`${at}.name`, name));
    if (wrong.length === 0) usable.set(name, volume);
    errors.push(...wrong);
    const claim = volume.persistentVolumeClaim?.claimName;
    if (claim !== undefined && owner.podName && made.includes(claim))
      errors.push(
        invalid(
          `${at}.persistentVolumeClaim.claimName`,
          claim,
          "must not reference a PVC that gets created for an ephemeral volume",
        ),
      );
  }
  return { usable, errors };
}

/** In the order in which Kubernetes looks at them: of several, the first is the one that counts. */
const sources = [
  ...["emptyDir", "hostPath", "gitRepo", "gcePersistentDisk", "awsElasticBlockStore", "secret", "nfs", "iscsi"],
  ...["glusterfs", "flocker", "persistentVolumeClaim", "rbd", "cinder", "cephfs", "quobyte", "downwardAPI", "fc"],
  ...["flexVolume", "configMap", "azureFile", "vsphereVolume", "photonPersistentDisk", "portworxVolume", "azureDisk"],
  ...["storageos", "projected", "scaleIO", "csi", "ephemeral", "image"],
];

/** Two are misspelt in what Kubernetes says, and so here. */
const shownAs: Record<string, string> = { downwardAPI: "downwarAPI", cephfs: "cephFS" };

function source(path: string, volume: Volume, owner: VolumesOwner): FieldError[] {
  const [first, ...more] = sources.filter((name) => volume[name] !== undefined);
  if (first === undefined) return [required(path, "must specify a volume type")];
  return [
    ...content(`${path}.${first}`, { name: volume.name, [first]: volume[first] }, owner),
    ...more.map((name) => forbidden(`${path}.${shownAs[name] ?? name}`, "may not specify more than 1 volume type")),
  ];
}

function content(path: string, volume: Volume, owner: VolumesOwner): FieldError[] {
  const { emptyDir, hostPath, secret, configMap, downwardAPI, projected, persistentVolumeClaim, ephemeral, image } =
    volume;
  if (emptyDir?.sizeLimit !== undefined && parseQuantity(emptyDir.sizeLimit).nanos < 0n)
    return [forbidden(`${path}.sizeLimit`, "SizeLimit field must be a valid resource quantity")];
  if (hostPath) return hostPathSource(path, hostPath);
  if (secret) return filesFrom(path, "secretName", secret.secretName, secret);
  if (configMap) return filesFrom(path, "name", configMap.name, configMap);
  if (downwardAPI)
    return [...fileMode(`${path}.defaultMode`, downwardAPI.defaultMode), ...downwardFiles(path, downwardAPI.items)];
  if (projected)
    return [
      ...fileMode(`${path}.defaultMode`, projected.defaultMode),
      ...projectedSources(path, projected.sources ?? []),
    ];
  if (persistentVolumeClaim?.claimName === "") return [required(`${path}.claimName`)];
  if (ephemeral) return ephemeralSource(path, volume, owner);
  if (image)
    return [
      ...(owner.isPod && !image.reference ? [required(`${path}.reference`)] : []),
      ...pullPolicy(`${path}.pullPolicy`, image.pullPolicy),
    ];
  return complete(path, volume);
}

/** Of any other source: what its shape says must be there. */
function complete(path: string, { name: _, ...rest }: Volume): FieldError[] {
  const [sourceName = "", value = {}] = Object.entries(rest)[0] ?? [];
  const needed = volumeShape.properties?.[sourceName]?.required ?? [];
  const errors = needed
    .filter((field) => ["", null].includes((value as Record<string, string | null>)[field] ?? null))
    .map((field) => required(`${path}.${field}`));
  const { path: exported = "" } = value as { path?: string };
  if (sourceName === "nfs" && !exported.startsWith("/"))
    errors.push(invalid(`${path}.path`, exported, "must be an absolute path"));
  return errors;
}

const hostPathTypes = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

function hostPathSource(path: string, hostPath: { path: string; type?: string }): FieldError[] {
  if (hostPath.path === "") return [required(`${path}.path`)];
  return [
    ...pathWithoutBacksteps(`${path}.path`, hostPath.path),
    ...oneOf(`${path}.type`, hostPath.type ?? "", hostPathTypes),
  ];
}

function ephemeralSource(path: string, { name, ephemeral }: Volume, { podName }: VolumesOwner): FieldError[] {
  const errors = ephemeral?.volumeClaimTemplate ? [] : [required(`${path}.volumeClaimTemplate`)];
  if (!podName || name === "") return errors;
  const claim = `${podName}-${name}`;
  const problems = subdomainProblems(claim).map((problem) => `PVC name ${JSON.stringify(claim)}: ${problem}`);
  return [...errors, ...each(path.replace(/\.ephemeral$/, ".name"), name, problems)];
}

function filesFrom(
  path: string,
  nameField: string,
  name: string | undefined,
  { defaultMode, items = [] }: { defaultMode?: number; items?: KeyToPath[] },
): FieldError[] {
  return [
    ...(name ? [] : [required(`${path}.${nameField}`)]),
    ...fileMode(`${path}.defaultMode`, defaultMode),
    ...items.flatMap((item, index) => keyToPath(`${path}.items[${index}]`, item)),
  ];
}

export function keyToPath(path: string, { key, path: file, mode }: KeyToPath): FieldError[] {
  return [
    ...(key === "" ? [required(`${path}.key`)] : []),
    ...(file === "" ? [required(`${path}.path`)] : []),
    ...pathInVolume(`${path}.path`, file),
    ...fileMode(`${path}.mode`, mode),
  ];
}

export function downwardFiles(path: string, files: readonly DownwardFile[] = []): FieldError[] {
  return files.flatMap(({ path: file, mode, fieldRef, resourceFieldRef }) => {
    const errors = file === "" ? [required(`${path}.path`)] : [];
    errors.push(...pathInVolume(`${path}.path`, file));
    if (fieldRef) {
      errors.push(...fieldReference(`${path}.fieldRef`, fieldRef, fieldsForVolumes));
      if (resourceFieldRef)
        errors.push(invalid(path, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously"));
    } else if (resourceFieldRef)
      errors.push(...resourceReference(`${path}.resourceFieldRef`, resourceFieldRef, { needsContainer: true }));
    else errors.push(required(path, "one of fieldRef and resourceFieldRef is required"));
    return [...errors, ...fileMode(`${path}.mode`, mode)];
  });
}

/** The files of a volume are put in place by way of names that begin with `..`. */
export function pathInVolume(path: string, value: string): FieldError[] {
  const errors = pathDownwards(path, value);
  if (value.startsWith("..") && !value.startsWith("../")) errors.push(invalid(path, value, "must not start with '..'"));
  return errors;
}

function fileMode(path: string, mode: number | undefined): FieldError[] {
  if (mode === undefined || (mode >= 0 && mode <= 0o777)) return [];
  return [invalid(path, mode, "must be a number between 0 and 0777 (octal), both inclusive")];
}
