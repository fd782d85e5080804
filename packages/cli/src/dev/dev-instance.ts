/** The one instance of a Challenge that an author looks at, with what it says, from its start to its end. */
import { isConflict, isNotFound, type Stored } from "@berg/apimachinery";
import { type Challenge, type ChallengeInstance, ChallengeInstances, isEnding, needsFlag } from "@berg/resources";
import { webPorts } from "../instance/addresses.ts";
import { flagPlaces } from "../instance/flag-places.ts";
import { follow, type Seen } from "../instance/follow.ts";
import type { Paint } from "../instance/paint.ts";
import { Progress } from "../instance/progress.ts";
import { madeFlag, manifestFor, ownerOf } from "../instance/run-start.ts";
import type { Session } from "../instance/session.ts";
import { viewOf } from "../instance/view.ts";
import { processLabel } from "./abandoned.ts";
import { followLogs, type LogLine } from "./logs.ts";
import { renderRunning } from "./render.ts";
import { DevTunnels, type DevTunnelsOptions } from "./tunnels/dev-tunnels.ts";

export interface Telling {
  /** What is asked for: addresses and flag. */
  write(text: string): void;
  log(line: LogLine): void;
  paint: Paint;
}

/** The same for every instance of a session. */
export interface DevInstanceOptions {
  /** Of whom there can be one instance at a time. */
  owner: string;
  telling: Telling;
  /** Undefined where none is asked for. */
  tunnels: DevTunnelsOptions | undefined;
}

/** Longer than anybody works on a challenge without a pause; the Challenge's own time is for players. */
const timeout = "24h";

export class DevInstance {
  readonly #session: Session;
  readonly #options: DevInstanceOptions;
  readonly #challenge: Stored<Challenge>;
  readonly #instance: Stored<ChallengeInstance>;
  readonly #stop = new AbortController();
  readonly #gone: Promise<void>;
  #logs: Promise<void> | undefined;
  #tunnels: DevTunnels | undefined;
  #isTold = false;
  #isEnding = false;

  private constructor(
    session: Session,
    options: DevInstanceOptions,
    challenge: Stored<Challenge>,
    instance: Stored<ChallengeInstance>,
  ) {
    this.#session = session;
    this.#options = options;
    this.#challenge = challenge;
    this.#instance = instance;
    this.#gone = this.#follow();
  }

  static async start(
    session: Session,
    challenge: Stored<Challenge>,
    options: DevInstanceOptions,
  ): Promise<DevInstance> {
    const { owner } = options;
    const { name, namespace = "" } = challenge.metadata;
    const asked = manifestFor(session, name, { owner, timeout, wait: true });
    asked.spec.challengeRef.namespace = namespace;
    asked.metadata.name = `${name.slice(0, 200)}-dev-${owner.slice(0, 6)}`;
    if (needsFlag(challenge)) asked.spec.flag = madeFlag(challenge, session.around);
    const labels = { [processLabel]: String(process.pid) };
    const manifest = { ...asked, metadata: { ...asked.metadata, labels } };
    const instance = await session.client.create(ChallengeInstances, manifest);
    return new DevInstance(session, options, challenge, instance);
  }

  /** Resolves when all of it is gone, or when there is no more time. */
  async end(signal: AbortSignal): Promise<void> {
    const { namespace = "", name, uid } = this.#instance.metadata;
    const options = { preconditions: { uid }, signal };
    this.#isEnding = true;
    try {
      await this.#tunnels?.close(signal);
      await this.#session.client.delete(ChallengeInstances, namespace, name, options).catch((error) => {
        // Gone already, or gone and made anew.
        if (!isNotFound(error) && !isConflict(error)) throw error;
      });
      await Promise.race([this.#gone, aborted(signal)]);
    } finally {
      this.#stop.abort();
      await Promise.all([this.#gone, this.#logs]);
    }
  }

  async #follow(): Promise<void> {
    const { client, around } = this.#session;
    const { clock, env, stderr } = around;
    // Lines of logs come in between, so that nothing can be written over. How it ends is of no interest.
    const write = (text: string) => this.#isEnding || stderr.write(text);
    using progress = new Progress({ clock, env, stderr: { write } });
    const session = { client, around: { ...around, signal: this.#stop.signal } };
    const isUnanswered = ({ status }: ChallengeInstance) => status?.phase === undefined;
    const until = (seen: Seen) => this.#look(seen);
    await follow(session, this.#instance, { progress, isUnanswered, until }).catch(() => {});
  }

  /** True when there is nothing more to see. */
  #look({ instance, isGone }: Seen): true | undefined {
    const { telling, tunnels } = this.#options;
    const { namespace, phase } = instance.status ?? {};
    if (namespace && !this.#logs && !this.#isEnding && !isEnding(instance)) {
      const around = { client: this.#session.client, clock: this.#session.around.clock };
      this.#logs = followLogs(around, namespace, telling.log, this.#stop.signal);
      this.#tunnels = tunnels && new DevTunnels(tunnels, namespace);
    }
    if (phase === "Running" && !this.#isTold && !isEnding(instance)) {
      this.#isTold = true;
      const { flag } = this.#instance.spec;
      const view = viewOf(instance, webPorts(this.#challenge));
      const places = flagPlaces(this.#challenge, ownerOf(instance, flag));
      telling.write(renderRunning(view, flag, places, telling.paint));
    }
    return isGone || undefined;
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
