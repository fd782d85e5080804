/**
 * Reads manifests and blobs from an OCI registry (distribution-spec "pull"), with the Basic and Bearer flows of
 * authentication. Every host that it is led to passes the address guard; a redirect is followed once.
 */
import { createHash } from "node:crypto";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { guardedLookup } from "./address-guard.ts";
import { HandoutError } from "./handout-error.ts";
import { digestPattern, type ImageReference } from "./image-reference.ts";

export interface Credentials {
  username: string;
  password: string;
}

export interface RegistryOptions {
  /** `host` or `host:port`. */
  registries: readonly string[];
  credentials?: Credentials | undefined;
  /** Plain http. */
  isInsecure: boolean;
  signal: AbortSignal;
}

export interface Layer {
  digest: string;
  size: number;
}

const manifestTypes = [
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
];
const largestManifest = 4 << 20;
const largestToken = 64 << 10;
/** Of the socket; the whole pull is limited by the signal. */
const idleMs = 30_000;

export class Registry {
  readonly #image: ImageReference;
  readonly #options: RegistryOptions;
  #authorization: string | undefined;

  /** Throws where the list does not contain the registry of the image. */
  constructor(image: ImageReference, options: RegistryOptions) {
    const { registry } = image;
    const { registries, isInsecure } = options;
    const withPort = registry.includes(":") ? registry : `${registry}:${isInsecure ? 80 : 443}`;
    if (!registries.includes(registry) && !registries.includes(withPort)) {
      throw new HandoutError(`the registry ${registry} is not listed in HANDOUT_REGISTRIES`);
    }
    this.#image = image;
    this.#options = options;
  }

  /** The only layer of the image. */
  async layer(): Promise<Layer> {
    const { reference, digest } = this.#image;
    const response = await this.#get(`manifests/${reference}`, { accept: manifestTypes.join(", ") });
    const body = await readAll(response, largestManifest);
    const actual = `sha256:${createHash("sha256").update(body).digest("hex")}`;
    if (digest !== undefined && digest !== actual) throw new HandoutError(`the manifest has the digest ${actual}`);
    return onlyLayer(body);
  }

  blob(digest: string): Promise<IncomingMessage> {
    return this.#get(`blobs/${digest}`, {});
  }

  async #get(path: string, headers: Record<string, string>): Promise<IncomingMessage> {
    const { registry, repository } = this.#image;
    const scheme = this.#options.isInsecure ? "http" : "https";
    // The registry of Docker Hub has another name than its images.
    const host = registry === "docker.io" ? "registry-1.docker.io" : registry;
    const url = new URL(`${scheme}://${host}/v2/${repository}/${path}`);
    let response = await this.#follow(url, headers);
    if (response.statusCode === 401 && this.#authorization === undefined) {
      response.resume();
      this.#authorization = await this.#authorize(response.headers["www-authenticate"] ?? "");
      response = await this.#follow(url, headers);
    }
    if (response.statusCode === 200) return response;
    response.resume();
    throw new HandoutError(`${url.host} answered ${response.statusCode} to GET ${url.pathname}`);
  }

  async #follow(url: URL, headers: Record<string, string>): Promise<IncomingMessage> {
    const authorization = this.#authorization;
    const response = await this.#request(url, { ...headers, ...(authorization !== undefined && { authorization }) });
    const { location } = response.headers;
    if (![301, 302, 303, 307, 308].includes(response.statusCode ?? 0) || location === undefined) return response;
    response.resume();
    const target = URL.parse(location, url.href);
    if (!target) throw new HandoutError(`${url.host} redirected to an invalid URL`);
    // The credentials are for the registry, not for where it keeps its blobs.
    const isSameHost = target.host === url.host;
    return this.#request(target, { ...headers, ...(isSameHost && authorization !== undefined && { authorization }) });
  }

  async #authorize(challenge: string): Promise<string> {
    const { credentials } = this.#options;
    const basic =
      credentials && `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString("base64")}`;
    if (/^basic\b/i.test(challenge) && basic) return basic;
    const { realm, service, scope } = parametersOf(challenge);
    const url = /^bearer\b/i.test(challenge) && realm !== undefined ? URL.parse(realm) : null;
    if (!url) throw new HandoutError(`the registry ${this.#image.registry} wants credentials; name a pull secret`);
    if (service !== undefined) url.searchParams.set("service", service);
    url.searchParams.set("scope", scope ?? `repository:${this.#image.repository}:pull`);
    const response = await this.#request(url, basic === undefined ? {} : { authorization: basic });
    if (response.statusCode !== 200) {
      response.resume();
      throw new HandoutError(`${url.host} answered ${response.statusCode} to the request for a token`);
    }
    const { token, access_token } = parseJson(await readAll(response, largestToken)) as Record<string, unknown>;
    const value = token ?? access_token;
    if (typeof value !== "string") throw new HandoutError(`${url.host} answered without a token`);
    return `Bearer ${value}`;
  }

  #request(url: URL, headers: Record<string, string>): Promise<IncomingMessage> {
    const { registries, isInsecure, signal } = this.#options;
    if (url.protocol !== "https:" && !(url.protocol === "http:" && isInsecure)) {
      throw new HandoutError(`${url.host} is to be asked without TLS; downloadImageInsecure allows that`);
    }
    const lookup = guardedLookup(url, registries);
    const send = url.protocol === "https:" ? requestHttps : requestHttp;
    return new Promise((resolve, reject) => {
      const options = { headers: { "user-agent": "berg", ...headers }, lookup, signal, timeout: idleMs, agent: false };
      const outgoing = send(url, options, resolve);
      outgoing.on("timeout", () => outgoing.destroy(new HandoutError(`${url.host} does not answer`)));
      outgoing.on("error", (error: NodeJS.ErrnoException) => {
        reject(error instanceof HandoutError ? error : new HandoutError(`cannot reach ${url.host}: ${error.message}`));
      });
      outgoing.end();
    });
  }
}

async function readAll(response: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw new HandoutError(`the registry answered with more than ${limit} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function onlyLayer(manifest: Buffer): Layer {
  const { layers } = parseJson(manifest) as { layers?: { digest?: unknown; size?: unknown }[] };
  if (!Array.isArray(layers) || layers.length !== 1) {
    throw new HandoutError("the image must be a manifest with exactly one layer; push the file with oras push");
  }
  const { digest, size } = layers[0] ?? {};
  if (typeof digest !== "string" || !digestPattern.test(digest))
    throw new HandoutError("the layer has no sha256 digest");
  if (!Number.isSafeInteger(size) || (size as number) < 0) throw new HandoutError("the layer has no size");
  return { digest, size: size as number };
}

function parseJson(body: Buffer): object {
  try {
    const read: unknown = JSON.parse(body.toString());
    if (typeof read === "object" && read !== null) return read;
  } catch {
    // Told below.
  }
  throw new HandoutError("the registry did not answer with JSON");
}

/** `Bearer realm="https://…",service="…"` */
function parametersOf(challenge: string): Record<string, string | undefined> {
  return Object.fromEntries([...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = "", value]) => [name, value]));
}
