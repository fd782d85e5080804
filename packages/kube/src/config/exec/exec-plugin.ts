import type { Clock } from "../../clock.ts";
import type { Cluster } from "../cluster.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { type ClientCertificate, readCertificates } from "../pem.ts";
import { bearer } from "../token.ts";
import type { ExecConfig } from "./exec-config.ts";
import { type ExecCredential, execInfo, parseExecCredential } from "./exec-credential.ts";
import { runPlugin } from "./run-plugin.ts";
import { SharedRun } from "./shared-run.ts";

export interface PluginSurroundings {
  env: NodeJS.ProcessEnv;
  /** Standard input is a terminal, with a person at it. */
  terminal: boolean;
  /** Where a plugin's words to people go. */
  showStderr: (text: string) => void;
  clock: Clock;
}

// A request that is sent just before its credentials expire arrives after.
const skewMs = 10_000;

/** A plugin, and what it answered for as long as that is good. */
export class ExecPlugin {
  readonly #exec: ExecConfig;
  readonly #cluster: Cluster;
  readonly #surroundings: PluginSurroundings;
  readonly #runs = new SharedRun((signal) => this.#run(signal));
  #held: ExecCredential | undefined;

  constructor(exec: ExecConfig, cluster: Cluster, surroundings: PluginSurroundings) {
    this.#exec = exec;
    this.#cluster = cluster;
    this.#surroundings = surroundings;
  }

  async authorization(signal?: AbortSignal): Promise<string | undefined> {
    return authorizationOf(await this.#credential(signal));
  }

  async certificate(signal?: AbortSignal): Promise<ClientCertificate | undefined> {
    return (await this.#credential(signal)).certificate;
  }

  refused(authorization?: string): void {
    if (!this.#held) return;
    if (authorization === undefined || authorization === authorizationOf(this.#held)) this.#held = undefined;
  }

  async #credential(signal: AbortSignal | undefined): Promise<ExecCredential> {
    const held = this.#held;
    const good = held && (held.expiresAt === undefined || this.#surroundings.clock.now() < held.expiresAt - skewMs);
    return good ? held : this.#runs.join(signal);
  }

  async #run(signal: AbortSignal): Promise<ExecCredential> {
    const exec = this.#exec;
    const { env, terminal, showStderr, clock } = this.#surroundings;
    if (exec.interactiveMode === "Always" && !terminal) {
      throw new ConfigurationError(
        `${exec.what} has to ask a person (interactiveMode Always), and there is no terminal`,
      );
    }
    const interactive = exec.interactiveMode !== "Never" && terminal;
    const ca =
      exec.provideClusterInfo && this.#cluster.ca ? await readCertificates(this.#cluster.ca, signal) : undefined;
    const stdout = await runPlugin({
      exec,
      env: { ...env, ...exec.env, KUBERNETES_EXEC_INFO: execInfo(exec, interactive, this.#cluster, ca) },
      interactive,
      showStderr,
      clock,
      signal,
    });
    this.#held = parseExecCredential(exec, stdout);
    return this.#held;
  }
}

function authorizationOf(credential: ExecCredential): string | undefined {
  return credential.token === undefined ? undefined : bearer(credential.token);
}
