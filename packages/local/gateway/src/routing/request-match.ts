/** What a rule of an HTTPRoute asks of a request, and which rule comes first where several would do. */
import type { HttpRouteMatch, ValueMatch } from "../kinds.ts";

export interface AskedRequest {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  header(name: string): string | undefined;
}

export interface RequestMatch {
  readonly path: { readonly exact: boolean; readonly value: string };
  readonly method: string | undefined;
  /** Names in lower case. */
  readonly headers: readonly NamedValue[];
  readonly queryParams: readonly NamedValue[];
}

interface NamedValue {
  readonly name: string;
  readonly value: string;
}

/** The match, or why it cannot be served here. */
export function compileMatch({ path, method, headers = [], queryParams = [] }: HttpRouteMatch): RequestMatch | string {
  const { type = "PathPrefix", value = "/" } = path ?? {};
  if (type !== "Exact" && type !== "PathPrefix") return `path matches of type ${type} are not supported`;
  if (!value.startsWith("/")) return `the path ${JSON.stringify(value)} does not begin with a slash`;
  for (const [what, matches] of Object.entries({ header: headers, "query parameter": queryParams })) {
    const other = matches.find(({ type = "Exact" }) => type !== "Exact");
    if (other) return `${what} matches of type ${other.type} are not supported`;
  }
  const exact = type === "Exact";
  return {
    // "/a/" and "/a" are the same prefix; "/" is one of everything.
    path: { exact, value: exact ? value : value.replace(/\/$/, "") },
    method,
    headers: firstOfEachName(headers.map(({ name, value }) => ({ name: name.toLowerCase(), value }))),
    queryParams: firstOfEachName(queryParams),
  };
}

/** Of entries with one name only the first counts, by the specification. */
function firstOfEachName(matches: readonly (NamedValue | ValueMatch)[]): NamedValue[] {
  const names = new Set<string>();
  return matches.flatMap(({ name, value }) => {
    if (names.has(name)) return [];
    names.add(name);
    return { name, value };
  });
}

export function requestMatches({ path, method, headers, queryParams }: RequestMatch, request: AskedRequest): boolean {
  if (method !== undefined && method !== request.method) return false;
  const question = request.target.indexOf("?");
  const asked = question < 0 ? request.target : request.target.slice(0, question);
  if (!pathMatches(path, asked)) return false;
  if (!headers.every(({ name, value }) => request.header(name) === value)) return false;
  if (queryParams.length === 0) return true;
  const query = new URLSearchParams(question < 0 ? "" : request.target.slice(question + 1));
  return queryParams.every(({ name, value }) => query.get(name) === value);
}

function pathMatches({ exact, value }: RequestMatch["path"], asked: string): boolean {
  if (exact) return asked === value;
  // By whole elements: "/a" means "/a/b" and not "/ab".
  return asked.startsWith(value) && (asked.length === value.length || asked[value.length] === "/");
}

/** Sorts what comes first to the front; 0 where the routes' age decides. */
export function byPrecedence(a: RequestMatch, b: RequestMatch): number {
  return (
    Number(b.path.exact) - Number(a.path.exact) ||
    b.path.value.length - a.path.value.length ||
    Number(b.method !== undefined) - Number(a.method !== undefined) ||
    b.headers.length - a.headers.length ||
    b.queryParams.length - a.queryParams.length
  );
}
