/** A Shoot's administrator for 10 minutes: the shortest that Gardener gives, since it cannot be taken back. */
import { isInvalid, type Stored } from "@berg/apimachinery";
import type { Clock } from "@berg/kube";
import type { Cluster } from "@berg/resources";
import { copyTrouble, type Garden } from "../gardener/garden.ts";
import { type Shoot, Shoots } from "../gardener/kinds.ts";
import { gardenTrouble } from "../gardener/trouble.ts";
import { annotations } from "../vocabulary.ts";
import type { Connect } from "./connect.ts";
import { readKubeconfig } from "./kubeconfig/kubeconfig.ts";
import { KubeconfigProblem } from "./kubeconfig/problem.ts";
import type { Opened } from "./open-targets.ts";
import { TargetUnavailable } from "./target.ts";
import { shootTexts, targetReasons } from "./vocabulary.ts";

const validSeconds = 600;
/** Clocks differ, and a reconcile that has it in hand goes on for a while. */
const reserveMs = 60_000;

interface AdminKubeconfigRequest {
  status?: { kubeconfig?: string; expirationTimestamp?: string };
}

/** The Shoot of a Cluster, as the copy has it, and where its API server is. Throws TargetUnavailable. */
export function reachableShoot(cluster: Cluster, garden: Garden): { shoot: Stored<Shoot>; server: string } {
  const ref = cluster.status?.shootRef;
  if (!ref) throw new TargetUnavailable(targetReasons.notReady, shootTexts.notCreated, false);
  const away = copyTrouble(garden.shoots);
  if (away) throw new TargetUnavailable(away.reason, away.message, away.again);
  const shoot = garden.shoots.get(`${garden.namespace}/${ref.name}`);
  if (shoot?.metadata.uid !== ref.uid)
    throw new TargetUnavailable(targetReasons.shootMissing, shootTexts.missing, false);
  // Whoever may write a Cluster's status could name another's Shoot there. What stands on a Shoot is Gardener's to guard.
  if (shoot.metadata.annotations?.[annotations.clusterUid] !== cluster.metadata.uid)
    throw new TargetUnavailable(targetReasons.shootNotOurs, shootTexts.notOurs(annotations.clusterUid), false);
  if (shoot.spec.hibernation?.enabled || shoot.status?.hibernated) {
    throw new TargetUnavailable(targetReasons.hibernated, shootTexts.hibernated, false);
  }
  const addresses = shoot.status?.advertisedAddresses ?? [];
  const address =
    addresses.find(({ name }) => name === "external") ?? addresses.find(({ name }) => name === "unmanaged");
  if (!address) throw new TargetUnavailable(targetReasons.notReady, shootTexts.noAddress, false);
  return { shoot, server: address.url };
}

/** Another address or other keys need another kubeconfig. */
export function shootOpensWith({ shoot, server }: { shoot: Stored<Shoot>; server: string }): string {
  const keys = shoot.status?.credentials?.rotation?.certificateAuthorities?.phase ?? "";
  return `shoot ${shoot.metadata.uid} ${server} ${keys}`;
}

export async function openShoot(
  { shoot, server }: { shoot: Stored<Shoot>; server: string },
  { garden, clock, connect }: { garden: Garden; clock: Clock; connect: Connect },
  signal: AbortSignal,
): Promise<Opened> {
  const answer = await askForKubeconfig(garden, shoot.metadata.name, signal);
  const { kubeconfig, expirationTimestamp } = answer.status ?? {};
  const access = readAdminKubeconfig(kubeconfig ?? "", server);
  const endsAt = Date.parse(expirationTimestamp ?? "");
  const validMs = Number.isNaN(endsAt) ? 0 : Math.max(0, endsAt - clock.now() - reserveMs);
  const { server: url, ca } = access;
  const connectWith = (token: string) => connect({ server: url, ca, credentials: { token }, expiresAt: undefined });
  return { target: { client: connect(access), server: url, certificateAuthority: ca, connectWith }, validMs };
}

async function askForKubeconfig(garden: Garden, name: string, signal: AbortSignal): Promise<AdminKubeconfigRequest> {
  const body = {
    apiVersion: "authentication.gardener.cloud/v1alpha1",
    kind: "AdminKubeconfigRequest",
    spec: { expirationSeconds: validSeconds },
  };
  try {
    return await garden.client.createSubresource(Shoots, garden.namespace, name, "adminkubeconfig", body, { signal });
  } catch (error) {
    // Gardener's word for a Shoot whose API server has no address yet: our copy may be ahead of, or behind, what it sees.
    if (isInvalid(error)) throw new TargetUnavailable(targetReasons.notReady, shootTexts.noAddress, true);
    const { reason, message, again } = gardenTrouble(error);
    throw new TargetUnavailable(reason, message, again);
  }
}

function readAdminKubeconfig(base64: string, server: string) {
  try {
    return readKubeconfig(Buffer.from(base64, "base64").toString("utf8"), { server });
  } catch (error) {
    if (!(error instanceof KubeconfigProblem)) throw error;
    throw new TargetUnavailable(targetReasons.adminKubeconfigInvalid, shootTexts.invalid(error.message), true);
  }
}
