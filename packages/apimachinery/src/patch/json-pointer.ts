import { quoted } from "../parse-error.ts";
import { PatchError } from "./patch-error.ts";

/** The steps of a JSON pointer (RFC 6901): `/metadata/annotations/a~1b` is `["metadata", "annotations", "a/b"]`. */
export function parsePointer(pointer: string): string[] {
  if (pointer === "") return [];
  if (!pointer.startsWith("/"))
    throw new PatchError(422, `${quoted(pointer)} is no JSON pointer: it must start with "/"`);
  if (/~(?![01])/.test(pointer)) {
    throw new PatchError(
      422,
      `${quoted(pointer)} is no JSON pointer: "~" must be written "~0", and "/" in a name "~1"`,
    );
  }
  return pointer.slice(1).split("/").map(unescapeStep);
}

export function formatPointer(steps: readonly string[]): string {
  return steps.map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

// In this order: "~01" means "~1", not "/".
function unescapeStep(step: string): string {
  return step.includes("~") ? step.replaceAll("~1", "/").replaceAll("~0", "~") : step;
}
