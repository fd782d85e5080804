/** One command's way to its cluster, and what all commands need there. */
import { dns1123LabelProblem, dns1123SubdomainProblem, isNotFound, type Stored } from "@berg/apimachinery";
import { type Client, createClient } from "@berg/kube";
import { type Challenge, type ChallengeInstance, ChallengeInstances, Challenges } from "@berg/resources";
import { webPorts } from "./addresses.ts";
import { explain, Failure } from "./failure.ts";
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
  readonly around: Surroundings;
  readonly namespace: string;
  readonly #options: ClusterOptions;
  readonly #webPorts = new Map<string, Promise<ReadonlySet<string>>>();

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
    return this.client.get(ChallengeInstances, this.namespace, name, { signal }).catch((error) => {
      if (!isNotFound(error) || !error.status.details?.name) throw error;
      const remedy = `See what is there: ${this.command("list -A")}`;
      throw new Failure(`there is no instance ${name} in the namespace ${this.namespace}. ${remedy}`);
    });
  }

  /** With its addresses as its Challenge means them, where that can be read. */
  async view(instance: Stored<ChallengeInstance>): Promise<InstanceView> {
    return viewOf(instance, await this.#webPortsOf(instance));
  }

  #webPortsOf({ metadata, spec }: Stored<ChallengeInstance>): Promise<ReadonlySet<string>> {
    const namespace = spec.challengeRef.namespace || metadata.namespace || this.namespace;
    const key = `${namespace}/${spec.challengeRef.name}`;
    const found = this.#webPorts.get(key) ?? this.#readWebPorts(namespace, spec.challengeRef.name);
    this.#webPorts.set(key, found);
    return found;
  }

  // It may be gone or not ours to read; the addresses are right all the same, and only less telling.
  async #readWebPorts(namespace: string, name: string): Promise<ReadonlySet<string>> {
    const { signal } = this.around;
    return this.client.get<Challenge>(Challenges, namespace, name, { signal }).then(webPorts, () => new Set<string>());
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

/** Runs a command to its exit code; what goes wrong is told on stderr. */
export async function inSession(
  options: ClusterOptions,
  around: Surroundings,
  work: (session: Session) => Promise<ExitCode>,
): Promise<ExitCode> {
  let cluster: Cluster | undefined;
  let client: Client | undefined;
  try {
    const problem = options.namespace === undefined ? undefined : dns1123LabelProblem(options.namespace);
    if (problem) throw new Failure(`--namespace: ${problem}`, 2);
    cluster = await whichCluster(options.kubeconfig, around);
    const { connection } = cluster;
    client = createClient({ connection, component: "cli", clock: around.clock });
    return await work(new Session(client, cluster, options, around));
  } catch (error) {
    if (around.signal.aborted) return 1;
    const { text, exitCode } = explain(error, cluster);
    around.stderr.write(`error: ${text}\n`);
    return exitCode;
  } finally {
    await client?.close();
  }
}
