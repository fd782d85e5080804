/**
 * The pod of one container. It gets no service account token, no list of Services in its environment, and no time to end:
 * what a player left in it is worth nothing.
 */
import type { Deployment, Pod } from "@berg/kube";
import { annotations, type ChallengeContainer, challengeKind, components, labels } from "@berg/resources";
import type { Architecture } from "../flags/executable.ts";
import type { EnvVar } from "../flags/flag-env.ts";
import type { Blueprint } from "./blueprint.ts";
import { containerOf } from "./container.ts";
import { containerFlag } from "./container-flag.ts";
import { environmentOf } from "./environment.ts";
import { flagVolume } from "./flag-volume.ts";
import { marks } from "./marks.ts";
import { instanceNamespaceName } from "./names.ts";

type PodTemplate = NonNullable<Deployment["spec"]>["template"];
type PodSpec = NonNullable<Pod["spec"]>;

/** What nodes say of themselves in the label `kubernetes.io/arch`. */
const nodeArchitectures: Record<Architecture, string> = { "x86-64": "amd64", aarch64: "arm64" };

export function podTemplate(
  blueprint: Blueprint,
  container: ChallengeContainer,
  endpoints: readonly EnvVar[],
): PodTemplate {
  const ofPod = marks(blueprint, components.pod, container.hostname);
  return {
    metadata: {
      labels: { ...ofPod.labels, [labels.kind]: challengeKind },
      annotations: { ...ofPod.annotations, ...hints(blueprint, container), ...restartMark(blueprint) },
    },
    spec: podSpec(blueprint, container, endpoints),
  };
}

const selecting: ReadonlySet<string> = new Set([
  labels.managedBy,
  labels.component,
  labels.challenge,
  labels.ownerId,
  labels.container,
  labels.instanceUid,
]);

/** The pod of this container and no other. */
export function podSelector(blueprint: Blueprint, { hostname }: ChallengeContainer): Record<string, string> {
  const ofPod = marks(blueprint, components.pod, hostname).labels;
  return Object.fromEntries(Object.entries(ofPod).filter(([label]) => selecting.has(label)));
}

/** What the network plug-in and the cluster autoscaler go by. */
function hints({ settings }: Blueprint, container: ChallengeContainer): Record<string, string> {
  return {
    "kubernetes.io/egress-bandwidth": container.egressBandwidth || settings.bandwidth.egress,
    "kubernetes.io/ingress-bandwidth": container.ingressBandwidth || settings.bandwidth.ingress,
    "cluster-autoscaler.kubernetes.io/safe-to-evict": settings.disruption === "allow" ? "true" : "false",
  };
}

/** Nothing before the first restart, so that an upgrade of Berg does not replace the pods that run. */
function restartMark({ instance: { restarts } }: Blueprint): Record<string, string> {
  return restarts > 0 ? { [annotations.restarts]: String(restarts) } : {};
}

function podSpec(blueprint: Blueprint, container: ChallengeContainer, endpoints: readonly EnvVar[]): PodSpec {
  const { instance, settings } = blueprint;
  const flag = containerFlag(blueprint, container);
  const env = environmentOf(container, { endpoints, namespace: instanceNamespaceName(instance.ownerId), flag });
  const runtimeClassName = container.runtimeClassName || settings.runtimeClassName;
  return {
    hostname: container.hostname,
    enableServiceLinks: false,
    automountServiceAccountToken: false,
    // With 0 the API server forgets the pod at once, seconds before its containers are gone, and its policy could go first.
    terminationGracePeriodSeconds: 1,
    // Never an fsGroup: it makes every file of a volume readable for that group, the executable flag too.
    securityContext: { seccompProfile: { type: "RuntimeDefault" } },
    ...(runtimeClassName && { runtimeClassName }),
    ...(settings.pullSecretName && { imagePullSecrets: [{ name: settings.pullSecretName }] }),
    // The program runs on the kind of processor that it was made for, and on no other.
    ...(flag?.way === "executable" && {
      nodeSelector: { "kubernetes.io/arch": nodeArchitectures[settings.architecture] },
    }),
    containers: [containerOf(container, { settings, env, flag })],
    ...(flag && flag.way !== "env" && { volumes: [flagVolume(flag, settings.flagStorage)] }),
  };
}
