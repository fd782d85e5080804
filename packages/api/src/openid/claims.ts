/** What a provider says about a person, as far as Berg uses it. */
import { type Role, roles } from "../players/store.ts";
import type { ProviderSettings, StaffRole } from "./settings.ts";

export type Claims = Readonly<Record<string, unknown>>;

const longestName = 64;
const longestSubject = 255;

/** Undefined where the value cannot be the id of a person. Only a string or a whole number can. */
export function subjectOf(value: unknown): string | undefined {
  const text = typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== "string" || text === "" || text.length > longestSubject) return undefined;
  // PostgreSQL stores no NUL, and a log line shows no other control character.
  return /\p{C}/u.test(text) ? undefined : text;
}

/** The first of the values that is a visible text, shortened as names of players are. */
export function nameOf(candidates: readonly unknown[]): string {
  for (const candidate of candidates) {
    if (typeof candidate !== "string") continue;
    const visible = candidate.replace(/\p{C}/gu, " ").trim();
    // By characters: half of a surrogate pair is not a text.
    const short = [...visible].reduce((text, one) => (text.length + one.length > longestName ? text : text + one), "");
    if (short !== "") return short.trim();
  }
  return "Player";
}

/** Roles of the staff that the claims give. */
export function rolesOf(
  claims: Claims,
  { roleClaim, roleValues }: Pick<ProviderSettings, "roleClaim" | "roleValues">,
): Role[] {
  if (roleClaim === undefined) return [];
  const values = [claimAt(claims, roleClaim)].flat();
  return roles.filter(
    (role) => role !== "player" && roleValues[role satisfies StaffRole].some((value) => values.includes(value)),
  );
}

/** A claim by its name, or by a path such as `realm_access.roles`. */
function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name.split(".").reduce<unknown>((value, key) => {
    return typeof value === "object" && value !== null && Object.hasOwn(value, key)
      ? (value as Claims)[key]
      : undefined;
  }, claims);
}
