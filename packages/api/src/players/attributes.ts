/** What players tell about themselves, checked against what the organiser asks for. */

import type { PlayerAttribute } from "@berg/resources";
import { ProblemError } from "../problems.ts";
import type { Attributes } from "./store.ts";

/** Throws a problem that names the first attribute that is not configured, or whose value is not listed. */
export function checkAttributes(configured: readonly PlayerAttribute[], given: Attributes): void {
  for (const [name, value] of Object.entries(given)) {
    const field = `attributes.${name}`;
    const attribute = configured.find((one) => one.name === name);
    if (!attribute) {
      const known = configured.map((one) => one.name).join(", ") || "none";
      throw new ProblemError("invalid_request", `There is no attribute "${name}". There are: ${known}.`, { field });
    }
    if (attribute.values.some((one) => one.value === value)) continue;
    const listed = attribute.values.map((one) => one.value).join(", ");
    throw new ProblemError("invalid_request", `"${value}" is no value of "${name}". Choose one of: ${listed}.`, {
      field,
    });
  }
}

/** Throws a problem that names the first required attribute without a value. */
export function requireAttributes(configured: readonly PlayerAttribute[], given: Attributes): void {
  const missing = configured.find(({ name, required }) => required && !Object.hasOwn(given, name));
  if (!missing) return;
  const detail = `Choose a value for "${missing.title || missing.name}".`;
  throw new ProblemError("invalid_request", detail, { field: `attributes.${missing.name}` });
}

/** Those that everybody may see. */
export function publicAttributes(configured: readonly PlayerAttribute[], all: Attributes): Record<string, string> {
  const names = configured.filter((one) => one.public).map(({ name }) => name);
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.includes(name)));
}
