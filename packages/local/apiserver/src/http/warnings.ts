/** Warnings for the client, as headers: `Warning: 299 - "unknown field \"spec.foo\""`. */

// As many as fit into the headers that clients and proxies take.
const mostCharacters = 4096;

export class Warnings {
  readonly #texts = new Set<string>();
  #characters = 0;

  add(text: string): void {
    if (this.#texts.has(text) || this.#characters + text.length > mostCharacters) return;
    this.#texts.add(text);
    this.#characters += text.length;
  }

  /** The values of as many headers. */
  headers(): string[] {
    return [...this.#texts].map((text) => `299 - "${printable(text).replace(/["\\]/g, "\\$&")}"`);
  }
}

/** Headers are bytes; Node takes one character for each of them. */
function printable(text: string): string {
  return Buffer.from(text.replace(/\p{Cc}+/gu, " "), "utf8").toString("latin1");
}
