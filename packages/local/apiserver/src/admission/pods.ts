/** What the admissions read and write in a pod. It has been decoded by then, so that its types are right. */
import type { AnyObject } from "../registry/resource.ts";
import type { AdmissionRequest } from "./admission.ts";

export interface Amounts {
  [resource: string]: string | number;
}

export interface Container {
  name: string;
  restartPolicy?: string;
  resources?: { requests?: Amounts; limits?: Amounts };
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean }[];
}

export interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

export interface PodSpec {
  containers?: Container[];
  initContainers?: Container[];
  resources?: { requests?: Amounts; limits?: Amounts };
  overhead?: Amounts;
  runtimeClassName?: string;
  nodeSelector?: Record<string, string>;
  tolerations?: Toleration[];
  volumes?: { name: string }[];
  serviceAccountName?: string;
  serviceAccount?: string;
  automountServiceAccountToken?: boolean;
  imagePullSecrets?: { name?: string }[];
  activeDeadlineSeconds?: number;
  priorityClassName?: string;
  priority?: number;
  preemptionPolicy?: string;
}

export type Pod = AnyObject & { spec?: PodSpec; status?: { phase?: string } };

export const mirrorAnnotation = "kubernetes.io/config.mirror";

/** The pod that is written, and not one of its subresources; undefined where it is something else. */
export function podIn({ resource, subresource, draft }: AdmissionRequest): Pod | undefined {
  return resource.storedAs === "pods" && subresource === "" ? (draft as Pod | undefined) : undefined;
}

export function specOf(pod: Pod): PodSpec {
  pod.spec ??= {};
  return pod.spec;
}

export function containersOf({ spec }: Pod): Container[] {
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
}
