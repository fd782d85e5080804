/** Logs of containers, and commands in them, for whoever asks the API server. */
import { parseTime } from "@berg/apimachinery";
import type { Clock, Pod } from "@berg/kube";
import type { Engine, EngineLogOptions, ExecOptions, ExecSession } from "@berg/local-engine";
import { chooseLogged, findContainers } from "./find-container.ts";
import { limitTo } from "./limit-bytes.ts";
import { cannotConnect } from "./refusals.ts";

export interface PodLogOptions {
  container: string;
  follow: boolean;
  previous: boolean;
  timestamps: boolean;
  tailLines?: number;
  limitBytes?: number;
  sinceSeconds?: number;
  /** RFC 3339. */
  sinceTime?: string;
}

export class NodeServing {
  readonly #engine: Engine;
  readonly #clock: Clock;

  constructor(engine: Engine, clock: Clock) {
    this.#engine = engine;
    this.#clock = clock;
  }

  async podLogs(pod: Pod, options: PodLogOptions, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const { container, previous, limitBytes } = options;
    const found = await findContainers(this.#engine, pod, container, signal);
    const { id } = chooseLogged(found, pod, container, previous);
    const log = this.#engine.containerLogs(id, this.#engineOptions(options), signal);
    return limitTo(limitBytes ?? Number.POSITIVE_INFINITY, log);
  }

  async exec(
    pod: Pod,
    { container, ...options }: ExecOptions & { container: string },
    signal: AbortSignal,
  ): Promise<ExecSession> {
    const found = await findContainers(this.#engine, pod, container, signal);
    const running = found.find(({ status }) => status === "running");
    if (!running) throw cannotConnect(`container not found ("${container}")`);
    return await this.#engine.exec(running.id, options, signal);
  }

  #engineOptions({ follow, timestamps, tailLines, sinceSeconds, sinceTime }: PodLogOptions): EngineLogOptions {
    const since = sinceTime ? parseTime(sinceTime) / 1000 : sinceSeconds && this.#clock.now() / 1000 - sinceSeconds;
    return {
      follow,
      timestamps,
      ...(tailLines !== undefined && { tail: tailLines }),
      ...(since !== undefined && { since }),
    };
  }
}
