/** Tells of a pod and its containers as kubelet does: about the pod, naming the container's place in it. */
import type { EventRecorder, Pod } from "@berg/kube";
import { type Container, initContainersOf } from "../containers/shapes.ts";

export type EventType = "Normal" | "Warning";

export class PodEvents {
  readonly #recorder: EventRecorder;

  constructor(recorder: EventRecorder) {
    this.#recorder = recorder;
  }

  ofPod(pod: Pod, type: EventType, reason: string, message: string): void {
    this.#recorder.event(pod, type, reason, message);
  }

  ofContainer(pod: Pod, { name }: Pick<Container, "name">, type: EventType, reason: string, message: string): void {
    const list = initContainersOf(pod).some((one) => one.name === name) ? "initContainers" : "containers";
    this.#recorder.event(pod, type, reason, message, `spec.${list}{${name}}`);
  }
}
