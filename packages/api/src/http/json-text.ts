/** Answers that are serialised once and sent many times. */
import type { FastifyReply } from "fastify";

const contentType = "application/json; charset=utf-8";

/** Sends JSON as it is: without a second serialisation, and without the schema of the route. */
export function sendJson(reply: FastifyReply, json: string | Buffer): never {
  // The types of a route describe its answer as an object. This is that object, serialised.
  return reply.header("content-type", contentType).send(json) as never;
}

/** Serialises a list again only where one of its items was replaced: objects in informer caches are never changed. */
export class ListJson<T extends object> {
  readonly #present: (item: T) => object;
  readonly #texts = new WeakMap<T, string>();
  #items: readonly T[] = [];
  #json = Buffer.from("[]");

  constructor(present: (item: T) => object) {
    this.#present = present;
  }

  of(items: readonly T[]): Buffer {
    if (items.length === this.#items.length && items.every((item, index) => item === this.#items[index])) {
      return this.#json;
    }
    this.#items = items;
    this.#json = Buffer.from(`[${items.map((item) => this.item(item)).join(",")}]`);
    return this.#json;
  }

  item(item: T): string {
    let text = this.#texts.get(item);
    if (text === undefined) {
      text = JSON.stringify(this.#present(item));
      this.#texts.set(item, text);
    }
    return text;
  }
}
