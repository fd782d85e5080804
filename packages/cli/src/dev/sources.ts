/** Where the image of each container comes from: a Dockerfile of the author's, Berg's samples, or elsewhere. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Challenge } from "@berg/resources";
import { sampleImageNames } from "../samples/samples.ts";

export type ImageSource = { image: string; containers: string[] } & (
  | { kind: "build"; directory: string; dockerfile: string }
  | { kind: "sample" }
  | { kind: "elsewhere" }
);

export const dockerfiles = ["Dockerfile", "Containerfile"];

/**
 * A container's own directory, named after its hostname, comes first. The one of the YAML is for the image that has none:
 * where several have none, nobody could tell whose it is.
 */
export function imageSources(
  { spec }: Pick<Challenge, "spec">,
  directory: string,
  exists: (path: string) => boolean = existsSync,
): ImageSource[] {
  const images = new Map<string, string[]>();
  for (const { image, hostname } of spec.containers) images.set(image, [...(images.get(image) ?? []), hostname]);
  const found = [...images].map(([image, containers]) => ({
    image,
    containers,
    own: containers.flatMap((hostname) => dockerfileIn(join(directory, hostname), exists))[0],
  }));
  const besideYaml = dockerfileIn(directory, exists)[0];
  const isForOne = found.filter(({ own }) => !own).length === 1;
  return found.map(({ image, containers, own }) => {
    const place = own ?? (isForOne ? besideYaml : undefined);
    if (place) return { image, containers, kind: "build", ...place };
    return { image, containers, kind: sampleImageNames().includes(image) ? "sample" : "elsewhere" };
  });
}

function dockerfileIn(directory: string, exists: (path: string) => boolean) {
  return dockerfiles
    .filter((dockerfile) => exists(join(directory, dockerfile)))
    .map((dockerfile) => ({ directory, dockerfile }));
}
