/**
 * Reads YAML as Kubernetes does: YAML 1.1 (`yes` is a boolean, `0777` is octal) without its times and base-60 numbers, the
 * first document only.
 */
import { isMap, isScalar, isSeq, LineCounter, type Tags } from "yaml";
import type { Body } from "../../registry/verbs.ts";
import { repeatedKeys } from "./repeated-keys.ts";
import { BadYaml, composeFirstDocument } from "./yaml-document.ts";

type Tag = Exclude<Tags[number], string>;

const leftOut = ["binary", "timestamp", "omap", "pairs", "set"].map((name) => `tag:yaml.org,2002:${name}`);

/** Throws `BadYaml`. Takes the thread for as long as it takes. */
export function readYaml(text: string): Body {
  const lineCounter = new LineCounter();
  const document = composeFirstDocument(text, lineCounter, {
    version: "1.1",
    uniqueKeys: false,
    customTags: (tags) => [...tags.filter(isKept), octal, binary],
  });
  if (document === undefined) return { value: null, duplicates: [] };
  inspect(document.contents);
  return { value: document.toJS(), duplicates: [], repeated: repeatedKeys(document, lineCounter) };
}

/** `0o17`, which YAML 1.1 does not have and Kubernetes reads all the same. */
const octal: Tag = {
  identify: () => false,
  default: true,
  tag: "tag:yaml.org,2002:int",
  format: "OCT",
  test: /^[-+]?0o[0-7_]+$/,
  resolve: (text: string) => {
    const value = Number.parseInt(text.replace(/^[-+]?0o|_/g, ""), 8);
    return text.startsWith("-") ? -value : value;
  },
};

/** Text after decoding, as there are no bytes in JSON. */
const binary: Tag = {
  identify: () => false,
  default: false,
  tag: "tag:yaml.org,2002:binary",
  resolve: (text: string) => Buffer.from(text, "base64").toString(),
};

function isKept(tag: Tags[number]): boolean {
  if (typeof tag === "string") return true;
  return !leftOut.includes(tag.tag) && !("format" in tag && tag.format === "TIME");
}

/** Refuses what JSON has not. */
function inspect(node: unknown): void {
  if (isMap(node)) {
    for (const { key, value } of node.items) {
      const isKey = isScalar(key) && key.value !== null;
      if (!isKey) throw new BadYaml("unsupported map key: only strings, numbers and booleans may be keys");
      inspect(value);
    }
  } else if (isSeq(node)) {
    for (const item of node.items) inspect(item);
  } else if (isScalar(node) && typeof node.value === "number" && !Number.isFinite(node.value)) {
    const name = Number.isNaN(node.value) ? "NaN" : node.value > 0 ? "+Inf" : "-Inf";
    throw new BadYaml(`json: unsupported value: ${name}`);
  }
}
