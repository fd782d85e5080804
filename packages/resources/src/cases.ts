/**
 * What the CRDs accept and refuse, one case a constraint. `validate.test.ts` puts the cases to our own validation and
 * `crds.real.test.ts` to API servers: where they disagree, one of them lies to an author.
 */
import type { Case } from "./cases/case.ts";
import { challengeCases } from "./cases/challenge.ts";
import { challengeInstanceCases } from "./cases/challenge-instance.ts";
import { clusterCases } from "./cases/cluster.ts";
import { competitionCases } from "./cases/competition.ts";
import { containerNetworkCases } from "./cases/container-network.ts";
import { containerNetworkTunnelProxyCases } from "./cases/container-network-tunnel-proxy.ts";
import { kubeconfigRequestCases } from "./cases/kubeconfig-request.ts";
import { pageCases } from "./cases/page.ts";
import { subscriptionRequestCases } from "./cases/subscription-request.ts";

export const cases: Case[] = [
  ...challengeInstanceCases,
  ...challengeCases,
  ...competitionCases,
  ...pageCases,
  ...containerNetworkCases,
  ...containerNetworkTunnelProxyCases,
  ...clusterCases,
  ...subscriptionRequestCases,
  ...kubeconfigRequestCases,
];
