/**
 * Pods are looked at in lines. A pod is always in the same line, and a line looks at one pod at a time: so no two looks
 * at a pod cross, and each sees the pod as it is by then. Several changes that wait are one look; a look at a pod that
 * is gone is the news of its deletion, which comes as surely as any other. A look that fails is repeated later, and
 * meanwhile the line goes on with the others.
 */
import type { Stored } from "@berg/apimachinery";
import type { Controller, Informer, Manager, Pod, Result, Watch } from "@berg/kube";
import { by } from "../observe/caches.ts";
import { lineOf } from "./line-of.ts";

/** `pod` is undefined where it is gone. */
export type LookAtPod = (uid: string, pod: Stored<Pod> | undefined, signal: AbortSignal) => Promise<Result | undefined>;

export interface Lines {
  /** Asks for a look at the pod, soon. */
  add(uid: string): void;
}

type Pods = Pick<Informer<Pod>, "onChange" | "list" | "byIndex" | "ensureIndex">;

export function addLines(
  manager: Pick<Manager, "addController">,
  pods: Informer<Pod>,
  count: number,
  look: LookAtPod,
): Lines {
  const lines: Controller[] = Array.from({ length: count }, (_, line) =>
    manager.addController({
      name: `pods-${line}`,
      workers: 1,
      watches: [{ informers: [pods], ...watchLine(pods, line, count) }],
      reconcile: (uid, { signal }) => look(uid, pods.byIndex(by.uid, uid)[0], signal),
    }),
  );
  return { add: (uid) => lines[lineOf(uid, count)]?.queue.add(uid) };
}

/** By UID and not by name: a pod that was made again under its name is another one. */
export function watchLine(pods: Pods, line: number, count: number): Omit<Watch, "informers"> {
  pods.ensureIndex(by.uid, ({ metadata }) => [metadata.uid]);
  const isHere = ({ metadata }: Stored<Pod>) => lineOf(metadata.uid, count) === line;
  return {
    start: (enqueue) =>
      pods.onChange(({ object }) => {
        if (isHere(object)) enqueue(object.metadata.uid);
      }),
    *all() {
      for (const pod of pods.list()) if (isHere(pod)) yield pod.metadata.uid;
    },
  };
}
