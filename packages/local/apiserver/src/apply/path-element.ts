/**
 * One step of the way to a field, in the form in which managedFields spells it. The text is the identity: two steps are
 * the same if and only if their texts are.
 *
 *     f:replicas                              a field of an object, or a key of a map
 *     k:{"containerPort":80,"protocol":"TCP"} an item of a list whose items are told apart by keys; names sorted
 *     v:"kubernetes"                          an item of a list of values
 *     i:0                                     an item of a list by its place
 */
import { compareText, fromEntries, isObject } from "./values.ts";

export type PathElement = string;
export type FieldPath = readonly PathElement[];

export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

/** `fields` sorted by name. */
export function keyElement(fields: readonly (readonly [string, unknown])[]): PathElement {
  const members = fields.map(([name, value]) => `${JSON.stringify(name)}:${spellValue(value)}`);
  return `k:{${members.join(",")}}`;
}

export function valueElement(value: unknown): PathElement {
  return `v:${spellValue(value)}`;
}

/** `undefined` of one that is of a sort that nobody knows yet. Throws where it makes no sense. */
export function readElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new Error("key must be 2 characters long:");
  if (text[1] !== ":") throw new Error(`missing colon: ${text}`);
  switch (text[0]) {
    case "f":
      return text;
    case "v":
      return valueElement(JSON.parse(text.slice(2)));
    case "k": {
      const fields: unknown = JSON.parse(text.slice(2));
      if (!isObject(fields)) throw new Error(`not an object: ${text}`);
      return keyElement(Object.entries(fields).sort(([a], [b]) => compareText(a, b)));
    }
    case "i":
      if (!/^i:[+-]?\d+$/.test(text)) throw new Error(`not a number: ${text}`);
      return `i:${Number(text.slice(2))}`;
    default:
      return undefined;
  }
}

/** In the order in which Kubernetes writes them: fields, keys, values, places. */
export function sortElements(elements: Iterable<PathElement>): PathElement[] {
  const given = [...elements];
  if (given.every((element) => element.startsWith("f:"))) return given.sort(compareText);
  const ranked = given.map((element) => ({
    element,
    rank: ranks.indexOf(element[0] ?? ""),
    body: bodyOf(element),
  }));
  return ranked.sort((a, b) => a.rank - b.rank || compareBodies(a.body, b.body)).map(({ element }) => element);
}

const ranks = ["f", "k", "v", "i"];

function bodyOf(element: PathElement): unknown {
  const text = element.slice(2);
  return element.startsWith("f:") ? text : JSON.parse(text);
}

function compareBodies(a: unknown, b: unknown): number {
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  if (!isObject(a) || !isObject(b)) return compareValues(a, b);
  const [first, second] = [Object.entries(a).sort(byName), Object.entries(b).sort(byName)];
  for (const [index, [name, value]] of first.entries()) {
    const other = second[index];
    if (!other) return 1;
    const order = compareText(name, other[0]) || compareValues(value, other[1]);
    if (order !== 0) return order;
  }
  return first.length - second.length;
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return compareText(a, b);
}

/** Numbers, then texts, then booleans, then the rest, as it is spelt. */
function compareValues(a: unknown, b: unknown): number {
  const order = valueRank(a) - valueRank(b);
  if (order !== 0) return order;
  if (typeof a === "number" || typeof a === "boolean") return Number(a) - Number(b);
  return compareText(String(a), String(b));
}

function valueRank(value: unknown): number {
  const rank = ["number", "string", "boolean"].indexOf(typeof value);
  return rank < 0 ? 3 : rank;
}

/** As conflicts show it: `.spec`, `[name="web"]`, `[="kubernetes"]`, `[0]`. */
export function showPath(path: FieldPath): string {
  return path.map(showElement).join("");
}

export function showElement(element: PathElement): string {
  const body = bodyOf(element);
  if (element.startsWith("f:")) return `.${body}`;
  if (element.startsWith("v:")) return `[=${showValue(body)}]`;
  if (!isObject(body)) return `[${body}]`;
  return `[${Object.entries(body)
    .sort(byName)
    .map(([name, value]) => `${name}=${showValue(value)}`)
    .join(",")}]`;
}

function showValue(value: unknown): string {
  return JSON.stringify(value);
}

const plainText = /^[ !#-%'-;=?-[\]-~]*$/;

/** As Go writes JSON: what could end a script in HTML, and control characters, by their numbers. */
function spellValue(value: unknown): string {
  if (typeof value === "string" && plainText.test(value)) return `"${value}"`;
  const text = JSON.stringify(isObject(value) ? fromEntries(Object.entries(value).sort(byName)) : value);
  return text.replace(/\\.|[<>&\u2028\u2029]/g, (found) => {
    if (found === "\\b") return "\\u0008";
    if (found === "\\f") return "\\u000c";
    return found.length > 1 ? found : `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
