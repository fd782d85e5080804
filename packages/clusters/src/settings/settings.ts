/** What is decided about the operators, from the environment. */
import type { Rate } from "@berg/kube";
import { readVariables, referenceOf } from "@berg/kube/variables";
import type { PoolKind } from "../gardener/garden.ts";
import type { KubeconfigSettings } from "../kubeconfig/gather.ts";
import type { SubscriptionSettings } from "../subscription/work.ts";
import { accessVariables } from "./access.ts";
import { gardenVariables } from "./garden.ts";
import { poolVariables } from "./pool.ts";

export interface ClusterOperatorSettings {
  garden: { namespace: string; poolKind: PoolKind; rate: Rate };
  subscription: SubscriptionSettings;
  kubeconfig: KubeconfigSettings;
  byoc: { allowedCidrs: readonly string[] };
}

const variables = { ...gardenVariables, ...poolVariables, ...accessVariables };

/** Those of the environment, or every mistake in it at once. An empty variable counts as a missing one. */
export function readClusterSettings(env: Record<string, string | undefined>): ClusterOperatorSettings {
  const read = readVariables(variables, env);
  return {
    garden: {
      namespace: read.namespace,
      poolKind: read.poolKind,
      rate: { perSecond: read.requestsPerSecond, burst: read.burst },
    },
    subscription: { rules: read.rules, multiAccount: { tenants: read.tenants, limits: read.limits } },
    kubeconfig: { rotationGraceMs: read.rotationGraceMs, allowEscalating: read.allowEscalating },
    byoc: { allowedCidrs: read.allowedCidrs },
  };
}

/** For documentation and manifests, in the order in which they are best read. */
export function clusterSettingsReference(): { name: string; default: string; description: string }[] {
  return referenceOf(variables);
}
