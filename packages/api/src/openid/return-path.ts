/** Where a browser may be sent after a sign-in: pages of our own, and nothing else. */

/** The path as a browser understands it; undefined where it leads to another site, or into the API. */
export function ownPathOf(text: string, publicUrl: string): string | undefined {
  // Browsers remove tabs and line breaks, and take a backslash for a slash: `/\evil.example` is another host.
  if (!text.startsWith("/") || /[\p{C}\\]/u.test(text)) return undefined;
  const url = URL.parse(text, publicUrl);
  if (!url || url.origin !== new URL(publicUrl).origin) return undefined;
  // `/.//evil.example` has the path `//evil.example`, which as a Location would be another host again.
  if (url.pathname.startsWith("//") || /^\/api(\/|$)/.test(url.pathname)) return undefined;
  return `${url.pathname}${url.search}${url.hash}`;
}
