/** Pods for tests of everything that is made of them. */
import type { Stored } from "@berg/apimachinery";
import type { Pod } from "@berg/kube";
import type { Image } from "@berg/local-engine";
import type { Place } from "../field-values.ts";
import type { Container, PodSpec } from "../shapes.ts";

export function makePod(
  container: Partial<Container> = {},
  spec: Partial<PodSpec> = {},
  metadata: Partial<Pod["metadata"]> = {},
): Stored<Pod> {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "web",
      namespace: "ctf",
      uid: "u-1",
      resourceVersion: "1",
      creationTimestamp: "2026-01-01T00:00:00Z",
      ...metadata,
    },
    spec: { containers: [{ name: "c", image: "web:1", ...container }], ...spec },
  };
}

export function firstContainer(pod: Pod): Container {
  const [container] = pod.spec?.containers ?? [];
  if (!container) throw new Error("the pod has no container");
  return container;
}

export const place: Place = {
  node: "laptop",
  hostIP: "192.0.2.7",
  podIP: "10.202.0.2",
  capacity: { cpus: 2, memoryBytes: 4 * 1024 ** 3 },
};

export function makeImage(image: Partial<Image> = {}): Image {
  return {
    id: "sha256:1",
    digests: [],
    user: "",
    entrypoint: [],
    command: [],
    env: [],
    workingDir: "",
    sizeBytes: 1,
    ...image,
  } as Image;
}
