import { setTimeout as delay } from "node:timers/promises";
import type { Place } from "../../../packages/clusters/src/kubeconfig/testing/place.ts";
import { tried } from "../../../packages/clusters/src/kubeconfig/testing/tried.ts";

/** Uses the kubeconfig that is published, all the time, and notes when it is refused. A way that is cut is no refusal. */
export class Holder {
  readonly #place: Place;
  readonly #request: string;
  readonly #refusals: string[] = [];
  readonly #using: Promise<void>;
  #isOver = false;

  constructor(place: Place, request: string) {
    this.#place = place;
    this.#request = request;
    this.#using = this.#use();
    // Told by `stop`.
    this.#using.catch(() => {});
  }

  async stop(): Promise<readonly string[]> {
    this.#isOver = true;
    await this.#using;
    return this.#refusals;
  }

  async #use(): Promise<void> {
    while (!this.#isOver) {
      const text = await this.#place.published(this.#request);
      const answer = await tried(text);
      const isRefused = answer === "unknown" || answer === "forbidden";
      // Whoever was just about to use the one before fetches the new one.
      if (isRefused && text === (await this.#place.published(this.#request)))
        this.#refusals.push(`its holder is ${answer}`);
      await delay(100);
    }
  }
}
