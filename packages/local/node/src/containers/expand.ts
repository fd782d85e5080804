/** `$(NAME)` in values, commands and arguments, as kubelet expands it. */

/**
 *     expand("$(A)-$$(A)-$(B)", new Map([["A", "1"]])) // "1-$(A)-$(B)"
 *
 * What is not known stays as it is written; `$$` is a dollar.
 */
export function expand(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(/\$\$|\$\(([^)]*)\)/g, (written, name: string | undefined) => {
    if (name === undefined) return "$";
    return values.get(name) ?? written;
  });
}
