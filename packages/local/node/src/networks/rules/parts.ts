/** How the parts of an nftables script are written down. */

/** The same lines are written once, however many pods they are for. */
export class Chains {
  readonly #names = new Map<string, string>();

  of(kind: string, lines: readonly string[]): string {
    const text = `${kind}\n${lines.map((line) => `    ${line}`).join("\n")}`;
    const name = this.#names.get(text) ?? `${kind}-${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }

  lines(): string[] {
    return [...this.#names].flatMap(([text, name]) => [`  chain ${name} {`, ...text.split("\n").slice(1), "  }"]);
  }
}

export function chain(name: string, head: string, lines: readonly string[]): string[] {
  return [`  chain ${name} {`, ...(head ? [`    ${head}`] : []), ...lines.map((line) => `    ${line}`), "  }"];
}

export function collection(name: string, type: string, elements: readonly string[]): string[] {
  const list = elements.length === 0 ? [] : ["    elements = {", ...elements.map((one) => `      ${one},`), "    }"];
  return [`  ${name} {`, `    ${type}`, ...list, "  }"];
}
