/**
 * Which cluster is meant: the one that --kubeconfig or KUBECONFIG names, that of the pod around us, the one that
 * `berg up` runs in this directory, or that of ~/.kube/config, in this order. The local one comes before the home
 * directory: whoever stands in its directory works on it, and a slip must not reach a cluster with players.
 */
import { access } from "node:fs/promises";
import { join } from "node:path";
import { ConfigurationError, type Connection, loadConnection } from "@berg/kube";
import type { Surroundings } from "./surroundings.ts";

export interface Cluster {
  connection: Connection;
  /** Where we know it from, for texts. */
  source: string;
  /** Whether it is the one that `berg up` keeps in this directory. */
  isLocal: boolean;
}

const localKubeconfig = join(".berg", "kubeconfig");

export async function whichCluster(
  kubeconfig: string | undefined,
  { env, directory, clock, signal }: Pick<Surroundings, "env" | "directory" | "clock" | "signal">,
): Promise<Cluster> {
  const load = (file: string | undefined) =>
    loadConnection({ clock, env, signal, ...(file !== undefined && { kubeconfig: file }) }).catch(withRemedy);
  if (kubeconfig !== undefined) {
    return { connection: await load(kubeconfig), source: `--kubeconfig ${kubeconfig}`, isLocal: false };
  }
  if (env.KUBECONFIG) {
    return { connection: await load(undefined), source: `KUBECONFIG=${env.KUBECONFIG}`, isLocal: false };
  }
  const isPod = Boolean(env.KUBERNETES_SERVICE_HOST);
  const local = join(directory, localKubeconfig);
  if (!isPod && (await exists(local))) return { connection: await load(local), source: local, isLocal: true };
  const connection = await load(undefined);
  return { connection, source: isPod ? "the pod's service account" : "~/.kube/config", isLocal: false };
}

/** A file that is not there may never have been made: here is who makes one. */
function withRemedy(error: unknown): never {
  if (!isMissing(error)) throw error;
  const remedy = `berg up (npm start) runs Berg on this machine, and writes ${localKubeconfig}; or name one with --kubeconfig`;
  throw new ConfigurationError(`${error.message}. ${remedy}`, { cause: error.cause });
}

/** Also where it was the last of several places that were tried. */
function isMissing(error: unknown): error is Error {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return error instanceof ConfigurationError;
  }
  return false;
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
