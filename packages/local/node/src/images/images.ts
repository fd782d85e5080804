/**
 * Gives a container its image: by the pull policy from what the engine has or from its registry, with the pod's pull
 * secrets. Events, reasons and messages are the kubelet's.
 */
import { durationFromMs, formatDuration } from "@berg/apimachinery";
import { type Clock, type Secret, systemClock } from "@berg/kube";
import { abortable, type Engine, EngineError, type Image, type RegistryAuth } from "@berg/local-engine";
import { credentialsFor } from "./credentials.ts";

import { PullBackOff } from "./pull-back-off.ts";
import { fullName, parseReference, type Reference } from "./reference.ts";

export type PullPolicy = "Always" | "IfNotPresent" | "Never";

export interface ImageRequest {
  readonly podUid: string;
  /** As the pod names it. */
  readonly image: string;
  /** The one that Kubernetes would choose unless told otherwise. */
  readonly policy?: PullPolicy | undefined;
  readonly pullSecrets: readonly Secret[];
  /** Told as it happens, for an Event of the pod. */
  onEvent(event: ImageEvent): void;
}

export interface ImageEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: "Pulling" | "Pulled" | "Failed" | "BackOff" | "ErrImageNeverPull" | "InspectFailed";
  readonly message: string;
}

export type ImageOutcome =
  | { readonly kind: "present"; readonly image: Image }
  /** For the container's `state.waiting`; to be asked again after `retryMs`. */
  | { readonly kind: "waiting"; readonly reason: WaitingReason; readonly message: string; readonly retryMs: number };

export type WaitingReason =
  | "ErrImagePull"
  | "ImagePullBackOff"
  | "ErrImageNeverPull"
  | "InvalidImageName"
  | "ImageInspectError";

/** When to look again at what only a change by hand can mend, or a back-off that has not begun. */
const againMs = 10_000;
/** Progress is told no more often than this. */
const progressMs = 10_000;

export class Images implements Disposable {
  readonly #engine: Engine;
  readonly #clock: Clock;
  readonly #backOff: PullBackOff;
  /** Pulls under way, so that many pods of one image cost one. */
  readonly #pulls = new Map<string, Promise<Image>>();
  readonly #end = new AbortController();

  constructor(engine: Engine, clock: Clock = systemClock) {
    this.#engine = engine;
    this.#clock = clock;
    this.#backOff = new PullBackOff(clock);
  }

  async ensure(request: ImageRequest, signal?: AbortSignal): Promise<ImageOutcome> {
    const { image: requested, onEvent } = request;
    const quoted = JSON.stringify(requested);
    const reference = parseReference(requested);
    if ("reason" in reference) {
      const message = `Failed to apply default image tag ${quoted}: ${reference.reason}`;
      onEvent({ type: "Warning", reason: "InspectFailed", message });
      return refuse(request, "InvalidImageName", message);
    }
    const policy = request.policy ?? defaultPolicy(reference);
    if (policy === "Always") return this.#pull(request, reference, signal);
    let present: Image | undefined;
    try {
      present = await this.#find(requested, reference, signal);
    } catch (error) {
      signal?.throwIfAborted();
      const message = `Failed to inspect image "": ${textOf(error)}`;
      onEvent({ type: "Warning", reason: "InspectFailed", message });
      return refuse(request, "ImageInspectError", message);
    }
    if (present) {
      const message = `Container image ${quoted} already present on machine and can be accessed by the pod`;
      onEvent({ type: "Normal", reason: "Pulled", message });
      return { kind: "present", image: present };
    }
    if (policy === "IfNotPresent") return this.#pull(request, reference, signal);
    const message = `Container image ${quoted} is not present with pull policy of Never`;
    onEvent({ type: "Warning", reason: "ErrImageNeverPull", message });
    return refuse(request, "ErrImageNeverPull", message);
  }

  /** Ends what is under way. */
  [Symbol.dispose](): void {
    this.#end.abort();
  }

  /** What an author built is known to Podman as `localhost/web`, and found by the short name alone. */
  async #find(requested: string, reference: Reference, signal?: AbortSignal): Promise<Image | undefined> {
    return (
      (await this.#engine.inspectImage(fullName(reference), signal)) ??
      (await this.#engine.inspectImage(requested, signal))
    );
  }

  async #pull(request: ImageRequest, reference: Reference, signal?: AbortSignal): Promise<ImageOutcome> {
    const { podUid, image: requested, onEvent } = request;
    const quoted = JSON.stringify(requested);
    const key = `${podUid}_${requested}`;
    const waiting = this.#backOff.waiting(key);
    if (waiting) {
      const message = `Back-off pulling image ${quoted}`;
      onEvent({ type: "Normal", reason: "BackOff", message });
      return refuse(request, "ImagePullBackOff", `${message}: ${waiting.why}`, waiting.leftMs);
    }
    onEvent({ type: "Normal", reason: "Pulling", message: `Pulling image ${quoted}` });
    const began = this.#clock.monotonic();
    try {
      const image = await this.#fetch(request, reference, signal);
      const took = formatDuration(durationFromMs(Math.trunc(this.#clock.monotonic() - began)));
      const message = `Successfully pulled image ${quoted} in ${took} (${took} including waiting). Image size: ${image.sizeBytes} bytes.`;
      onEvent({ type: "Normal", reason: "Pulled", message });
      this.#backOff.forget(key);
      return { kind: "present", image };
    } catch (error) {
      signal?.throwIfAborted();
      this.#end.signal.throwIfAborted();
      const why = textOf(error);
      onEvent({ type: "Warning", reason: "Failed", message: `Failed to pull image ${quoted}: ${why}` });
      this.#backOff.failed(key, `ErrImagePull: ${why}`);
      return refuse(request, "ErrImagePull", why);
    }
  }

  /** Whoever asks for the same with the same sign-ins gets what is under way. */
  async #fetch(request: ImageRequest, reference: Reference, signal?: AbortSignal): Promise<Image> {
    const credentials = credentialsFor(reference.repository, request.pullSecrets);
    const key = JSON.stringify([fullName(reference), credentials]);
    const pull =
      this.#pulls.get(key) ??
      this.#tryEach(fullName(reference), credentials, this.#reporter(request)).finally(() => this.#pulls.delete(key));
    this.#pulls.set(key, pull);
    return abortable(pull, signal);
  }

  /** Tries each sign-in in turn; none at all where there is none for this registry. */
  async #tryEach(name: string, credentials: readonly RegistryAuth[], onProgress: (text: string) => void) {
    const { signal } = this.#end;
    const complaints = new Set<string>();
    for (const auth of credentials.length > 0 ? credentials : [undefined]) {
      try {
        await this.#engine.pullImage(name, { ...(auth && { auth }), onProgress }, signal);
        const image = await this.#engine.inspectImage(name, signal);
        if (image) return image;
        complaints.add("the engine pulled it and does not have it");
      } catch (error) {
        signal.throwIfAborted();
        complaints.add(textOf(error, auth?.password));
      }
    }
    throw new Error(complaints.size > 1 ? `[${[...complaints].join(", ")}]` : [...complaints].join());
  }

  #reporter({ image, onEvent }: ImageRequest): (text: string) => void {
    let told = this.#clock.monotonic();
    return (text) => {
      if (this.#clock.monotonic() - told < progressMs) return;
      told = this.#clock.monotonic();
      onEvent({ type: "Normal", reason: "Pulling", message: `Pulling image ${JSON.stringify(image)}: ${text}` });
    };
  }
}

/** The API server's default, for pods that did not come through it. */
function defaultPolicy({ tag }: Reference): PullPolicy {
  return tag === "latest" ? "Always" : "IfNotPresent";
}

function refuse(request: ImageRequest, reason: WaitingReason, message: string, retryMs = againMs): ImageOutcome {
  request.onEvent({ type: "Warning", reason: "Failed", message: `Error: ${reason}` });
  return { kind: "waiting", reason, message, retryMs };
}

/** Why, without what was being done, which the reader knows; and without a password, should a registry repeat it. */
function textOf(error: unknown, password?: string): string {
  const text = error instanceof Error ? error.message : String(error);
  const why = error instanceof EngineError ? text.replace(/^cannot (?:pull|inspect) image \S+: /, "") : text;
  return password ? why.replaceAll(password, "***") : why;
}
