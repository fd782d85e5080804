/**
 * `.dockerignore`, as the docker command reads it: Docker's service takes what it is sent, and a solution that was to
 * stay at home would be in the image.
 */
import { posix } from "node:path";
import { ConfigurationError } from "@berg/kube";

/** Whether a path, relative to the file and with `/`, is left out. */
export type Ignore = (path: string) => boolean;

interface Rule {
  pattern: RegExp;
  isException: boolean;
}

/** The last line that matches a path, or a directory above it, decides. */
export function parseIgnore(text: string): Ignore {
  const rules = text.split(/\r?\n/).flatMap(ruleOf);
  return (path) => {
    const parts = path.split("/");
    const around = parts.map((_, index) => parts.slice(0, index + 1).join("/"));
    const last = rules.findLast(({ pattern }) => around.some((one) => pattern.test(one)));
    return last !== undefined && !last.isException;
  };
}

function ruleOf(line: string): Rule[] {
  if (line.startsWith("#")) return [];
  const trimmed = line.trim();
  const isException = trimmed.startsWith("!");
  const pattern = posix.normalize(trimmed.slice(isException ? 1 : 0).trim()).replace(/^\/|\/$/g, "");
  // "." is what an empty line becomes, and the directory itself: neither says anything.
  if (pattern === "." || pattern === "") return [];
  return [{ pattern: expressionOf(pattern, line), isException }];
}

const special = /\*\*\/|\*\*|\*|\?|\\.|\[(?:\\.|[^\]])*\]|[.+^${}()|[\]\\/]/gu;

function expressionOf(pattern: string, line: string): RegExp {
  const source = pattern.replace(special, (found) => {
    if (found === "**/") return "(?:.*/)?";
    if (found === "**") return ".*";
    if (found === "*") return "[^/]*";
    if (found === "?") return "[^/]";
    return found.length > 1 && found.startsWith("[") ? found : `\\${found.slice(-1)}`;
  });
  try {
    return new RegExp(`^${source}$`, "s");
  } catch {
    throw new ConfigurationError(`cannot read .dockerignore: ${JSON.stringify(line)} is no pattern`);
  }
}
