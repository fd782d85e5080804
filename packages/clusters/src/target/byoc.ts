/** A cluster that somebody brought along: its kubeconfig is in a Secret, which is read at each use. */
import { isForbidden, isNotFound, StatusError, type Stored } from "@berg/apimachinery";
import { type Client, type Clock, type Secret, Secrets } from "@berg/kube";
import type { Cluster } from "@berg/resources";
import { AddressRefused, refuseAddress } from "./address/lookup.ts";
import type { AddressGuard, Connect } from "./connect.ts";
import { type Access, readKubeconfig } from "./kubeconfig/kubeconfig.ts";
import { KubeconfigProblem } from "./kubeconfig/problem.ts";
import type { Opened } from "./open-targets.ts";
import { TargetUnavailable } from "./target.ts";
import { byocTexts, targetReasons } from "./vocabulary.ts";

/** What a Cluster's Secret holds now. */
export interface Brought {
  access: Access;
  /** Changes with the Secret. */
  opensWith: string;
}

/** Throws TargetUnavailable: where something is wrong with the Secret, only its change helps. */
export async function readBrought(
  cluster: Cluster,
  { client, clock, guard }: { client: Client; clock: Clock; guard: AddressGuard },
  signal: AbortSignal,
): Promise<Brought> {
  const { name, key } = cluster.spec.byoc?.kubeconfigSecretRef ?? { name: "", key: "" };
  const where = { name, key };
  const secret = await readSecret(client, cluster.metadata.namespace ?? "", name, signal);
  const data = secret.data?.[key];
  if (!data) throw new TargetUnavailable(targetReasons.secretMissing, byocTexts.keyMissing(where), false);
  const access = readAccess(Buffer.from(data, "base64").toString("utf8"), where, guard);
  if (access.expiresAt !== undefined && access.expiresAt <= clock.now()) {
    throw new TargetUnavailable(targetReasons.credentialsExpired, byocTexts.expired(where), false);
  }
  const { uid, resourceVersion } = secret.metadata;
  return { access, opensWith: `secret ${uid} ${resourceVersion} ${key}` };
}

export function openBrought(
  { access }: Brought,
  { connect, guard }: { connect: Connect; guard: AddressGuard },
): Opened {
  const { server, ca } = access;
  const connectWith = (token: string) => connect({ server, ca, credentials: { token }, expiresAt: undefined }, guard);
  return { target: { client: connect(access, guard), server, certificateAuthority: ca, connectWith } };
}

async function readSecret(
  client: Client,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<Stored<Secret>> {
  try {
    return await client.get(Secrets, namespace, name, { signal });
  } catch (error) {
    if (isNotFound(error)) throw new TargetUnavailable(targetReasons.secretMissing, byocTexts.missing(name), false);
    if (isForbidden(error))
      throw new TargetUnavailable(targetReasons.secretUnreadable, byocTexts.forbidden(name), true);
    if (!(error instanceof StatusError)) throw error;
    throw new TargetUnavailable(targetReasons.secretUnreadable, byocTexts.unreadable(name), true);
  }
}

function readAccess(text: string, where: { name: string; key: string }, guard: AddressGuard): Access {
  try {
    const access = readKubeconfig(text);
    refuseAddress(access.server, guard.allowed);
    return access;
  } catch (error) {
    if (error instanceof AddressRefused) {
      throw new TargetUnavailable(targetReasons.addressRefused, byocTexts.address, false);
    }
    if (!(error instanceof KubeconfigProblem)) throw error;
    throw new TargetUnavailable(error.reason, byocTexts.problem(where, error.message), false);
  }
}
