/** As whom a request wants to be made: what its `Impersonate-…` headers say, before anything is added to it. */
import { goQuote } from "../errors/go-text.ts";
import { badRequest } from "../errors/refusals.ts";
import type { User } from "./user.ts";

/** Each header with all of its values, as Node's `headersDistinct` has them. */
export type DistinctHeaders = Readonly<Record<string, readonly string[] | undefined>>;

const extraPrefix = "impersonate-extra-";

/** Undefined where nobody else is meant. */
export function wantedUser(headers: DistinctHeaders): User | undefined {
  const name = texts(headers["impersonate-user"])[0] ?? "";
  const uid = texts(headers["impersonate-uid"])[0] ?? "";
  const groups = texts(headers["impersonate-group"]);
  const extra = extrasIn(headers);
  const hasExtra = Object.keys(extra).length > 0;
  if (name !== "") return { name, groups, ...(uid && { uid }), ...(hasExtra && { extra }) };
  if (uid === "" && groups.length === 0 && !hasExtra) return undefined;
  throw badRequest(`requested ${inGo(uid, groups, extra)} without impersonating a user name`);
}

function extrasIn(headers: DistinctHeaders): Record<string, string[]> {
  const extra: Record<string, string[]> = {};
  for (const [header, values] of Object.entries(headers)) {
    if (!header.startsWith(extraPrefix) || !values?.length) continue;
    const key = unescaped(header.slice(extraPrefix.length));
    extra[key] = [...(extra[key] ?? []), ...texts(values)];
  }
  return extra;
}

/** Names are UTF-8, where Node takes each byte of a header for a character. */
function texts(values: readonly string[] = []): string[] {
  return values.map((value) => Buffer.from(value, "latin1").toString());
}

/** Keys have slashes, which headers cannot have: `acme.com%2Fproject`. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** The one place where a client sees how Go prints a struct. */
function inGo(uid: string, groups: readonly string[], extra: Record<string, string[]>): string {
  const list = (values: readonly string[]) =>
    values.length === 0 ? "[]string(nil)" : `[]string{${values.map(goQuote).join(", ")}}`;
  const entries = Object.entries(extra).sort(([one], [other]) => (one < other ? -1 : 1));
  const map = entries.map(([key, values]) => `${goQuote(key)}:${list(values)}`).join(", ");
  const shown = entries.length === 0 ? "map[string][]string(nil)" : `map[string][]string{${map}}`;
  return `&user.DefaultInfo{Name:"", UID:${goQuote(uid)}, Groups:${list(groups)}, Extra:${shown}}`;
}
