import type { Clock } from "../clock.ts";
import { ConfigurationError } from "./configuration-error.ts";
import { readText } from "./files.ts";
import { bearer, isToken } from "./token.ts";

// The kubelet renews a pod's token when a fifth of its life is left, so a minute late is early enough.
const keptMs = 60_000;

/** A token in a file that somebody else renews, such as a pod's. */
export class TokenFile {
  readonly #path: string;
  readonly #what: string;
  readonly #clock: Clock;
  #held: { authorization: string; readAt: number } | undefined;

  constructor(path: string, what: string, clock: Clock) {
    this.#path = path;
    this.#what = what;
    this.#clock = clock;
  }

  async authorization(signal?: AbortSignal): Promise<string> {
    const held = this.#held;
    if (held && this.#clock.monotonic() - held.readAt < keptMs) return held.authorization;
    try {
      const authorization = bearer(await this.#read(signal));
      this.#held = { authorization, readAt: this.#clock.monotonic() };
      return authorization;
    } catch (error) {
      signal?.throwIfAborted();
      // A bad moment of the disk is no reason to stop while the server still takes the token that we have.
      if (this.#held) return this.#held.authorization;
      throw error;
    }
  }

  refused(authorization?: string): void {
    if (authorization === undefined || authorization === this.#held?.authorization) this.#held = undefined;
  }

  async #read(signal: AbortSignal | undefined): Promise<string> {
    const token = (await readText(this.#path, this.#what, signal)).trim();
    if (token === "") throw new ConfigurationError(`${this.#path} (${this.#what}) is empty`);
    if (!isToken(token)) throw new ConfigurationError(`${this.#path} (${this.#what}) holds more than a token`);
    return token;
  }
}
