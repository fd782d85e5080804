/** A rule's `fieldPath`, such as `.spec['my key']`: as it stands in an error, or nothing where it leads nowhere. */
import type { Schema } from "../schema.ts";

const step = /\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\]/y;
const escapes: Record<string, string> = {
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "'": "'",
  "\\": "\\",
};

export function normalizedPath(path: string, schema: Schema): string | undefined {
  let at: Schema = schema;
  let result = "";
  step.lastIndex = 0;
  while (step.lastIndex < path.length) {
    const match = step.exec(path);
    if (!match) return undefined;
    const name = match[1] ?? unquoted(match[2] ?? "");
    if (name === undefined) return undefined;
    if (at.properties) {
      const property: Schema | undefined = Object.hasOwn(at.properties, name) ? at.properties[name] : undefined;
      if (!property) return undefined;
      at = property;
      result += result === "" ? name : `.${name}`;
    } else if (typeof at.additionalProperties === "object") {
      at = at.additionalProperties;
      result += `[${name}]`;
    } else return undefined;
  }
  return result;
}

function unquoted(text: string): string | undefined {
  let isWrong = false;
  const plain = text.replace(/\\(.)/gs, (_, letter: string) => {
    const meant = Object.hasOwn(escapes, letter) ? escapes[letter] : undefined;
    isWrong ||= meant === undefined;
    return meant ?? "";
  });
  return isWrong ? undefined : plain;
}
