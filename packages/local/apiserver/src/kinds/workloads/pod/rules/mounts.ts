/** Where a container sees the volumes of its pod. */

import { type FieldError, forbidden, invalid, notFound, required } from "../../../../errors/field-error.ts";
import { oneOf, pathDownwards, pathWithoutBacksteps } from "../../../checks/field-rules.ts";
import type { Container, Volume, VolumeMount } from "../../types.ts";

/** Kubernetes leaves the index of the mount out of some of its paths: `volumeMounts.subPath`. */
export function mounts(path: string, container: Container, volumes: ReadonlyMap<string, Volume>): FieldError[] {
  // Of a volume that is there twice, Kubernetes compares the last place alone.
  const devices = new Map((container.volumeDevices ?? []).map(({ name, devicePath }) => [name, devicePath]));
  const seen = new Set<string>();
  return (container.volumeMounts ?? []).flatMap((mount, index) => {
    const at = `${path}[${index}]`;
    const { name, mountPath, subPath = "", subPathExpr = "" } = mount;
    const errors: FieldError[] = [];
    if (name === "") errors.push(required(`${at}.name`));
    if (!volumes.has(name)) errors.push(notFound(`${at}.name`, name));
    if (mountPath === "") errors.push(required(`${at}.mountPath`));
    if (seen.has(mountPath)) errors.push(invalid(`${at}.mountPath`, mountPath, "must be unique"));
    seen.add(mountPath);
    if (devices.has(name)) errors.push(invalid(`${at}.name`, name, "must not already exist in volumeDevices"));
    if ([...devices.values()].includes(mountPath))
      errors.push(invalid(`${at}.mountPath`, mountPath, "must not already exist as a path in volumeDevices"));
    errors.push(...pathDownwards(`${path}.subPath`, subPath));
    if (subPathExpr !== "" && subPath !== "")
      errors.push(invalid(`${at}.subPathExpr`, subPathExpr, "subPathExpr and subPath are mutually exclusive"));
    errors.push(...pathDownwards(`${path}.subPathExpr`, subPathExpr));
    return [
      ...errors,
      ...propagation(path, mount, container),
      ...recursiveReadOnly(`${path}.recursiveReadOnly`, mount),
    ];
  });
}

function propagation(path: string, { mountPropagation: mode }: VolumeMount, container: Container): FieldError[] {
  if (mode === undefined) return [];
  const at = `${path}.mountPropagation`;
  const errors = oneOf(at, mode, ["Bidirectional", "HostToContainer", "None"]);
  if (mode === "Bidirectional" && !container.securityContext?.privileged)
    errors.push(forbidden(at, "Bidirectional mount propagation is available only to privileged containers"));
  return errors;
}

function recursiveReadOnly(path: string, mount: VolumeMount): FieldError[] {
  const { recursiveReadOnly: mode, readOnly, mountPropagation = "None" } = mount;
  if (mode === undefined || mode === "Disabled") return [];
  const errors = oneOf(path, mode, ["Disabled", "Enabled", "IfPossible"]);
  if (errors.length > 0) return errors;
  if (!readOnly) errors.push(forbidden(path, "may only be specified when readOnly is true"));
  if (mountPropagation !== "None")
    errors.push(forbidden(path, "may only be specified when mountPropagation is None or not specified"));
  return errors;
}

export function devices(path: string, container: Container, volumes: ReadonlyMap<string, Volume>): FieldError[] {
  const mounted = new Map((container.volumeMounts ?? []).map(({ name, mountPath }) => [name, mountPath]));
  const names = new Set<string>();
  const paths = new Set<string>();
  return (container.volumeDevices ?? []).flatMap(({ name, devicePath }, index) => {
    const at = `${path}[${index}]`;
    const errors: FieldError[] = [];
    const volume = volumes.get(name);
    if (name === "") errors.push(required(`${at}.name`));
    if (names.has(name)) errors.push(invalid(`${at}.name`, name, "must be unique"));
    if (volume && !volume.persistentVolumeClaim && !volume.ephemeral)
      errors.push(
        invalid(
          `${at}.name`,
          name,
          "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode",
        ),
      );
    if (!volume) errors.push(notFound(`${at}.name`, name));
    if (devicePath === "") errors.push(required(`${at}.devicePath`));
    if (paths.has(devicePath)) errors.push(invalid(`${at}.devicePath`, devicePath, "must be unique"));
    if (pathWithoutBacksteps(at, devicePath).length > 0)
      errors.push(invalid(`${at}.devicePath`, devicePath, "can not contain backsteps ('..')"));
    else paths.add(devicePath);
    if (mounted.has(name)) errors.push(invalid(`${at}.name`, name, "must not already exist in volumeMounts"));
    if ([...mounted.values()].includes(devicePath))
      errors.push(invalid(`${at}.devicePath`, devicePath, "must not already exist as a path in volumeMounts"));
    if (name !== "") names.add(name);
    return errors;
  });
}
