import { type Deployment, Deployments } from "@berg/kube";
import { type ChallengeContainer, components } from "@berg/resources";
import type { EnvVar } from "../flags/flag-env.ts";
import type { Blueprint, Child } from "./blueprint.ts";
import { marks } from "./marks.ts";
import { instanceNamespaceName } from "./names.ts";
import { podSelector, podTemplate } from "./pod.ts";

/** Runs one container of the instance. `endpoints` are those of all containers: see `endpointEnv`. */
export function deploymentFor(
  blueprint: Blueprint,
  container: ChallengeContainer,
  endpoints: readonly EnvVar[],
): Child<Deployment> {
  return {
    type: Deployments,
    manifest: {
      metadata: {
        name: container.hostname,
        namespace: instanceNamespaceName(blueprint.instance.ownerId),
        ...marks(blueprint, components.deployment, container.hostname),
      },
      spec: {
        replicas: 1,
        selector: { matchLabels: podSelector(blueprint, container) },
        // A pod that is replaced goes first: an instance has a right to one, and players are to meet one. `Recreate` says
        // the same, but the server refuses it over a Deployment that somebody has edited to be rolled.
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
        // Nobody rolls back to what somebody's edit had made of it.
        revisionHistoryLimit: 0,
        // By then every player has given up: the Deployment's own conditions should say so too.
        progressDeadlineSeconds: 300,
        template: podTemplate(blueprint, container, endpoints),
      },
    },
  };
}
