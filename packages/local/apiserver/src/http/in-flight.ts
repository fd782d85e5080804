/** The requests that are being answered: not too many at once, and the long ones known, so that they can be ended. */
import { refusal } from "../errors/refusals.ts";
import { readFlag } from "../requests/address.ts";
import type { RequestInfo } from "../requests/request-info.ts";
import type { Exchange } from "./exchange.ts";

export class InFlight {
  readonly #most: number;
  readonly #long = new Set<Exchange>();
  #short = 0;
  #isEnding = false;

  constructor(most: number) {
    this.#most = most;
  }

  /** Throws a refusal where there are too many. Left by disposing. */
  enter(exchange: Exchange, info: RequestInfo): Disposable {
    if (isLong(exchange, info)) return this.#enterLong(exchange);
    if (this.#short >= this.#most)
      throw refusal(429, "TooManyRequests", "Too many requests, please try again later.", { retryAfterSeconds: 1 });
    this.#short++;
    return {
      [Symbol.dispose]: () => {
        this.#short--;
      },
    };
  }

  /** Ends watches and the like, now and from now on. */
  end(): void {
    this.#isEnding = true;
    for (const exchange of this.#long) exchange.abort();
  }

  #enterLong(exchange: Exchange): Disposable {
    this.#long.add(exchange);
    if (this.#isEnding) exchange.abort();
    return {
      [Symbol.dispose]: () => {
        this.#long.delete(exchange);
      },
    };
  }
}

/** What goes on until somebody has enough of it. */
function isLong({ address }: Exchange, info: RequestInfo): boolean {
  if (!info.isResource) return false;
  if (info.verb === "watch" || info.subresource === "exec") return true;
  return info.subresource === "log" && readFlag(address.query, "follow");
}
