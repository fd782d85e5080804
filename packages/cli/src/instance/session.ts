/** One command's way to its cluster, and what all commands need there. */
import { dns1123LabelProblem, dns1123SubdomainProblem, isNotFound, type Stored } from "@berg/apimachinery";
import { type Client, createClient } from "@berg/kube";
import {
  type Challenge,
  type ChallengeInstance,
  ChallengeInstances,
  Challenges,
  readStoredChallenge,
} from "@berg/resources";
import { webPorts } from "./addresses.ts";
import { explain, Failure } from "./failure.ts";
import { missingText } from "./missing-instance.ts";
import { Presence } from "./presence.ts";
import type { ExitCode, Surroundings } from "./surroundings.ts";
import { type InstanceView, viewOf } from "./view.ts";
import { type Cluster, whichCluster } from "./which-cluster.ts";

export interface ClusterOptions {
  kubeconfig?: string;
  namespace?: string;
}

/** Where organisers keep Challenges unless told otherwise: see CHALLENGE_NAMESPACE. */
const usualNamespace = "berg";

export class Session {
  readonly client: Client;
  /** Its signal says, too, that the server is gone. */
  readonly around: Surroundings;
  readonly namespace: string;
  readonly #options: ClusterOptions;
  readonly #challenges = new Map<string, Promise<Stored<Challenge> | undefined>>();

  constructor(client: Client, cluster: Cluster, options: ClusterOptions, around: Surroundings) {
    this.client = client;
    this.around = around;
    this.#options = options;
    // Nobody keeps Challenges in "default" on purpose: it is what a kubeconfig says that names none.
    const { namespace } = cluster.connection;
    this.namespace = options.namespace ?? (namespace === "default" ? usualNamespace : namespace);
  }

  async instance(name: string): Promise<Stored<ChallengeInstance>> {
    const problem = dns1123SubdomainProblem(name);
    if (problem) throw new Failure(problem, 2);
    const { signal } = this.around;
    return this.client.get(ChallengeInstances, this.namespace, name, { signal }).catch(async (error) => {
      if (!isNotFound(error) || !error.status.details?.name) throw error;
      throw new Failure(await missingText(this, name));
    });
  }

  /** With its addresses as its Challenge means them, where that can be read. */
  async view(instance: Stored<ChallengeInstance>): Promise<InstanceView> {
    const challenge = await this.challengeOf(instance);
    return viewOf(instance, challenge && webPorts(challenge));
  }

  /** It may be gone or not ours to read: then undefined, and what is told of the instance is right, and only less. */
  challengeOf({ metadata, spec }: Stored<ChallengeInstance>): Promise<Stored<Challenge> | undefined> {
    const { name } = spec.challengeRef;
    const namespace = spec.challengeRef.namespace || metadata.namespace || this.namespace;
    const key = `${namespace}/${name}`;
    const { signal } = this.around;
    const read = async () => readStoredChallenge(await this.client.get(Challenges, namespace, name, { signal }));
    const found =
      this.#challenges.get(key) ??
      read().then(
        ({ challenge }) => challenge,
        () => undefined,
      );
    this.#challenges.set(key, found);
    return found;
  }

  /** What to type for the same cluster and namespace: `berg instance stop ada -n ctf`, as this one was typed. */
  command(words: string): string {
    const { namespace, kubeconfig } = this.#options;
    const more = [
      namespace !== undefined && `-n ${namespace}`,
      kubeconfig !== undefined && `--kubeconfig ${kubeconfig}`,
    ];
    const berg = this.around.env.npm_lifecycle_event === "berg" ? "npm run -s berg --" : "berg";
    return [`${berg} instance`, words, ...more.filter(Boolean)].join(" ");
  }
}

/** Runs a command to its exit code; what goes wrong is told on stderr. A server that is gone ends it. */
export async function inSession(
  options: ClusterOptions,
  around: Surroundings,
  work: (session: Session) => Promise<ExitCode>,
): Promise<ExitCode> {
  let cluster: Cluster | undefined;
  try {
    const problem = options.namespace === undefined ? undefined : dns1123LabelProblem(options.namespace);
    if (problem) throw new Failure(`--namespace: ${problem}`, 2);
    cluster = await whichCluster(options.kubeconfig, around);
    const { connection } = cluster;
    await using parts = new AsyncDisposableStack();
    const client = createClient({ connection, component: "cli", clock: around.clock });
    parts.defer(() => client.close());
    const presence = parts.use(new Presence(connection, around.clock));
    const signal = AbortSignal.any([around.signal, presence.lost]);
    return await work(new Session(client, cluster, options, { ...around, signal }));
  } catch (error) {
    if (around.signal.aborted) return 1;
    const { text, exitCode } = explain(error, cluster);
    around.stderr.write(`error: ${text}\n`);
    return exitCode;
  }
}
