/** The kinds that the server serves, asked for by several, and read anew soon after a CustomResourceDefinition changed. */
import { defineResource, type KubeObject, type Stored } from "@berg/apimachinery";
import type { Clock, Manager, Transform } from "@berg/kube";
import { readServed, type Served } from "./read-served.ts";

const CustomResourceDefinitions = defineResource<KubeObject>({
  group: "apiextensions.k8s.io",
  version: "v1",
  resource: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
});

// The server tells of a new kind a moment after it has accepted its definition.
const unsettledMs = 2_000;

export interface ServedKinds {
  /** At most so old, and never from before the last change. */
  get(options: { maxAgeMs: number }): Promise<Served>;
  /** Called when kinds may have come or gone, and again when the server has surely noticed. Returns its undo. */
  onChange(handler: () => void): () => void;
}

export function servedKinds(manager: Manager, clock: Clock): ServedKinds {
  const definitions = manager.informer(CustomResourceDefinitions, { transform: onlyMetadata });
  let changedAt = Number.NEGATIVE_INFINITY;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<Served> | undefined;
  definitions.onChange(() => {
    changedAt = clock.monotonic();
  });

  return {
    async get({ maxAgeMs }) {
      const now = clock.monotonic();
      if (reading && now - readAt <= maxAgeMs && readAt - changedAt > unsettledMs) return reading;
      readAt = now;
      reading = readServed(manager.client);
      const mine = reading;
      mine.catch(() => {
        if (reading === mine) reading = undefined;
      });
      return mine;
    },
    onChange(handler) {
      let timer = clock.setTimer(0, () => {});
      const undo = definitions.onChange(() => {
        handler();
        timer.cancel();
        timer = clock.setTimer(unsettledMs, handler);
      });
      return () => {
        undo();
        timer.cancel();
      };
    },
  };
}

/** Who only asks what is there, and whose it is, needs no more. */
export const onlyMetadata: Transform<KubeObject> = ({ apiVersion, kind, metadata }) => {
  const { managedFields: _, ...rest } = metadata;
  return { apiVersion, kind, metadata: rest } as Stored<KubeObject>;
};
