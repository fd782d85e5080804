import { delimiter, join, resolve } from "node:path";
import type { Clock } from "../clock.ts";
import { readCluster } from "./cluster.ts";
import { ConfigurationError } from "./configuration-error.ts";
import { connect } from "./connect.ts";
import type { Connection } from "./connection.ts";
import { isMissingFile, readText } from "./files.ts";
import { readPod, serviceAccountDirectory } from "./in-cluster.ts";
import { chooseContext, type Kubeconfig, mergeKubeconfigs, parseKubeconfig } from "./kubeconfig.ts";
import { readUser } from "./user.ts";

export interface LoadOptions {
  clock: Clock;
  /** The kubeconfig that a flag names; nothing else is then looked at. */
  kubeconfig?: string;
  /** The context that a flag names, in place of the current one. */
  context?: string;
  env?: NodeJS.ProcessEnv;
  /** Where a pod's service account is mounted. */
  serviceAccount?: string;
  /** Standard input is a terminal: credential plugins may ask the person there. */
  terminal?: boolean;
  /** Where credential plugins' words to people go. */
  showStderr?: (text: string) => void;
  signal?: AbortSignal;
}

/**
 * How to reach the API server, from the first of these that is there:
 *
 * 1. the file that a flag names
 * 2. the files of KUBECONFIG, merged
 * 3. the pod that this process runs in
 * 4. ~/.kube/config
 *
 * What was named on purpose must be there: a misspelt path is an error, and never falls through to another cluster.
 * The pod comes before the home directory, since a controller whose image or volume happens to hold a kubeconfig must
 * still act as its own service account; kubectl, made for people, has it the other way round. Who names a context means
 * a kubeconfig, so then the pod is passed over.
 *
 *     const connection = await loadConnection({ clock: systemClock });
 */
export async function loadConnection(options: LoadOptions): Promise<Connection> {
  const {
    clock,
    env = process.env,
    terminal = process.stdin.isTTY === true,
    showStderr = (text) => process.stderr.write(text),
    signal,
  } = options;
  const surroundings = { clock, env, terminal, showStderr };

  const namedBy = options.kubeconfig === undefined ? "KUBECONFIG" : "--kubeconfig";
  const named = options.kubeconfig === undefined ? filesOf(env.KUBECONFIG) : [options.kubeconfig];
  const pod =
    named.length === 0 && options.context === undefined
      ? await readPod(env, options.serviceAccount ?? serviceAccountDirectory, signal)
      : undefined;
  if (pod) return connect(pod, surroundings, signal);

  const kubeconfig =
    named.length > 0
      ? await readKubeconfigs(named, `the kubeconfig that ${namedBy} names`, signal)
      : await readHomeKubeconfig(env, signal);
  const chosen = chooseContext(kubeconfig, options.context);
  const described = {
    cluster: readCluster(chosen.cluster),
    user: readUser(chosen.user),
    namespace: chosen.namespace,
  };
  return connect(described, surroundings, signal);
}

function filesOf(list: string | undefined): string[] {
  return [...new Set((list ?? "").split(delimiter))].filter((file) => file !== "");
}

/** As kubectl: of several files some may be missing, though not all. */
async function readKubeconfigs(
  files: readonly string[],
  what: string,
  signal: AbortSignal | undefined,
): Promise<Kubeconfig> {
  const found: Kubeconfig[] = [];
  let missing: unknown;
  for (const file of files.map((file) => resolve(file))) {
    try {
      found.push(parseKubeconfig(await readText(file, what, signal), file));
    } catch (error) {
      if (!isMissingFile(error)) throw error;
      missing ??= error;
    }
  }
  if (found.length > 0) return mergeKubeconfigs(found);
  throw files.length === 1
    ? missing
    : new ConfigurationError(`none of the kubeconfig files that KUBECONFIG names is there: ${files.join(", ")}`, {
        cause: missing,
      });
}

async function readHomeKubeconfig(env: NodeJS.ProcessEnv, signal: AbortSignal | undefined): Promise<Kubeconfig> {
  const tried = "KUBECONFIG is not set, and this is no pod with a service account";
  if (!env.HOME) throw new ConfigurationError(`no kubeconfig is given: ${tried}, and HOME is not set either`);
  const file = join(env.HOME, ".kube", "config");
  try {
    return await readKubeconfigs([file], "kubeconfig", signal);
  } catch (error) {
    if (!isMissingFile(error)) throw error;
    throw new ConfigurationError(`no kubeconfig is given: ${tried}, and there is no ${file}`, { cause: error });
  }
}
