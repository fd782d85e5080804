import type { Pod } from "@berg/kube";
import type { ChallengeContainer } from "@berg/resources";
import type { FlagPlan } from "../flags/flag-plan.ts";
import type { BuildSettings } from "../settings/settings.ts";
import { containerPorts } from "./container-ports.ts";
import type { StoredEnvVar } from "./environment.ts";
import { flagMount } from "./flag-volume.ts";
import { probeOf } from "./probe.ts";
import { containerResources } from "./resources.ts";

type Container = NonNullable<Pod["spec"]>["containers"][number];

export interface ContainerParts {
  settings: BuildSettings;
  env: StoredEnvVar[];
  flag: FlagPlan | undefined;
}

/** The one container of a pod, as the author described it. */
export function containerOf(container: ChallengeContainer, { settings, env, flag }: ContainerParts): Container {
  const { hostname, image, readinessProbe, livenessProbe } = container;
  const ports = containerPorts(container);
  const { limits, requests } = containerResources(container, settings.resources);
  return {
    name: hostname,
    image,
    imagePullPolicy: settings.imagePullPolicy,
    ...(ports.length > 0 && { ports }),
    env,
    ...(flag && flag.way !== "env" && { volumeMounts: [flagMount(flag)] }),
    resources: { limits: { ...limits }, requests: { ...requests } },
    ...(readinessProbe && { readinessProbe: probeOf(readinessProbe, container.ports) }),
    ...(livenessProbe && { livenessProbe: probeOf(livenessProbe, container.ports) }),
    securityContext: securityContext(container, flag),
  };
}

/** To read whatever file it likes, mode 0111 or not, is what root in a container has this capability for. */
const readsEverything = "DAC_OVERRIDE";

function securityContext(container: ChallengeContainer, flag: FlagPlan | undefined) {
  const add = [...new Set(container.additionalCapabilities)];
  const drop = flag?.way === "executable" && !add.includes(readsEverything) ? [readsEverything] : [];
  return {
    privileged: false,
    // Programs with the set-user-ID bit are what many challenges are about.
    allowPrivilegeEscalation: true,
    ...(add.length + drop.length > 0 && {
      capabilities: { ...(add.length > 0 && { add }), ...(drop.length > 0 && { drop }) },
    }),
  };
}
