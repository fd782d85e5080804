/** Handouts that are the only layer of an OCI artifact. What a tag means is asked for again after a minute. */
import { type Client, type Clock, errorText, type Logger, Secrets } from "@berg/kube";
import type { AttachmentSource } from "./attachment.ts";
import { BlobCache } from "./blob-cache.ts";
import type { OpenFile } from "./file-source.ts";
import { HandoutError } from "./handout-error.ts";
import { credentialsFor } from "./pull-secret.ts";
import { type Layer, Registry } from "./registry.ts";
import type { HandoutSettings } from "./settings.ts";

type ImageAttachment = Extract<AttachmentSource, { kind: "image" }>;

export interface ImageSourceOptions {
  settings: HandoutSettings;
  client: Client;
  /** Of the pull secrets. */
  namespace: string;
  clock: Clock;
  log: Logger;
}

const tagLifeMs = 60_000;
const mostKnown = 1_000;
/** Of a whole pull. */
const pullMs = 10 * 60_000;

export class ImageSource implements AsyncDisposable {
  readonly #options: ImageSourceOptions;
  readonly #cache: BlobCache;
  readonly #stop = new AbortController();
  readonly #layers = new Map<string, { layer: Layer; readAt: number }>();

  constructor(options: ImageSourceOptions) {
    const { cacheDirectory: directory, cacheBytes: maxBytes } = options.settings;
    this.#options = options;
    this.#cache = new BlobCache({ directory, maxBytes, clock: options.clock });
  }

  /** Ends the pulls under way. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    return this.#cache[Symbol.asyncDispose]();
  }

  /** Throws a HandoutError where it cannot be had. */
  async open(attachment: ImageAttachment): Promise<OpenFile> {
    const { maxBytes } = this.#options.settings;
    const layer = await this.#layer(attachment);
    if (layer.size > maxBytes) {
      throw new HandoutError(`the file has ${layer.size} bytes, and HANDOUT_MAX_BYTES allows ${maxBytes}`);
    }
    return this.#cache.open(layer, async () => (await this.#registry(attachment)).blob(layer.digest));
  }

  async #layer(attachment: ImageAttachment): Promise<Layer> {
    const { image, isInsecure } = attachment;
    const key = `${isInsecure} ${image.registry}/${image.repository} ${image.reference} ${attachment.pullSecret}`;
    const known = this.#layers.get(key);
    const now = this.#options.clock.monotonic();
    if (known && (image.digest !== undefined || now - known.readAt < tagLifeMs)) return known.layer;
    try {
      const layer = await (await this.#registry(attachment)).layer();
      if (this.#layers.size >= mostKnown) this.#layers.clear();
      this.#layers.set(key, { layer, readAt: now });
      return layer;
    } catch (error) {
      if (!known) throw error;
      // A registry that is away for a while must not take a handout with it that is in the cache.
      this.#options.log.warn({ error: errorText(error) }, "cannot ask what the tag of a handout means; using the last");
      return known.layer;
    }
  }

  async #registry({ image, pullSecret, isInsecure }: ImageAttachment): Promise<Registry> {
    const { settings, client, namespace } = this.#options;
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(pullMs)]);
    const { registries } = settings;
    // Refused before the secret is read where the registry is not listed.
    const anonymous = new Registry(image, { registries, isInsecure, signal });
    if (pullSecret === undefined) return anonymous;
    const secret = await client.get(Secrets, namespace, pullSecret, { signal }).catch((error) => {
      throw new HandoutError(`cannot read the pull secret ${pullSecret}: ${errorText(error)}`);
    });
    return new Registry(image, { registries, isInsecure, signal, credentials: credentialsFor(secret, image.registry) });
  }
}
