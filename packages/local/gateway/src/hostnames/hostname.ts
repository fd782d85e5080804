/**
 * Hostnames of listeners and routes. Besides `web.example.com` there is `*.example.com`, which stands for every name
 * below example.com, however deep, and not for example.com itself; and nothing at all, which stands for every name.
 */

/** `"Web.Example.com:8080"` is `web.example.com`; undefined where that is no hostname. A final dot says nothing. */
export function hostnameOf(authority: string): string | undefined {
  // No longer than in DNS: each label of it is looked up with all that follow it.
  const match = /^(\[[0-9a-fA-F:.]{1,255}\]|[^:/?#@\s[\]]{1,255})(?::\d*)?$/.exec(authority);
  return match?.[1]?.toLowerCase().replace(/\.$/, "");
}

export function isWildcard(pattern: string): boolean {
  return pattern.startsWith("*.");
}

/** Whether a request for this hostname is meant by the pattern. */
export function hostnameMatches(pattern: string | undefined, hostname: string): boolean {
  if (!pattern) return true;
  if (!isWildcard(pattern)) return pattern === hostname;
  const suffix = pattern.slice(1);
  return hostname.length > suffix.length && hostname.endsWith(suffix);
}

/** What both stand for, if there is such a name: the narrower of the two. */
export function narrower(a: string | undefined, b: string | undefined): string | undefined | false {
  if (!a || !b) return a || b || undefined;
  if (a === b) return a;
  if (isWithin(a, b)) return a;
  return isWithin(b, a) ? b : false;
}

function isWithin(inner: string, outer: string): boolean {
  return isWildcard(outer) && hostnameMatches(outer, isWildcard(inner) ? inner.slice(2) : inner);
}
