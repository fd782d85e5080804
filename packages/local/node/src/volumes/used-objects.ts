/** Which ConfigMaps and Secrets a pod's volumes and variables are made of. Pure. */
import type { Container, Volume } from "../containers/shapes.ts";
import type { ObjectNames } from "./objects.ts";

export function objectsOfVolume(volume: Volume): ObjectNames {
  const sources = [volume, ...(volume.projected?.sources ?? [])];
  return {
    configMaps: names(sources.map(({ configMap }) => configMap?.name)),
    secrets: names([volume.secret?.secretName, ...(volume.projected?.sources ?? []).map(({ secret }) => secret?.name)]),
  };
}

export function objectsOfContainer({ env = [], envFrom = [] }: Container): ObjectNames {
  return {
    configMaps: names([
      ...envFrom.map(({ configMapRef }) => configMapRef?.name),
      ...env.map(({ valueFrom }) => valueFrom?.configMapKeyRef?.name),
    ]),
    secrets: names([
      ...envFrom.map(({ secretRef }) => secretRef?.name),
      ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
    ]),
  };
}

function names(all: readonly (string | undefined)[]): Set<string> {
  return new Set(all.filter((name): name is string => name !== undefined && name !== ""));
}
