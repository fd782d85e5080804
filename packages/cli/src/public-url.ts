/** Where browsers reach the pages. Without imports: the options of commands are read before anything else is loaded. */

/** The origin of a URL without a path; throws what is wrong with it. */
export function readPublicUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new Error("A public URL begins with http:// or https://, such as https://ctf.example.com.");
  }
  if (url.pathname !== "/" || url.search || url.hash || url.username)
    throw new Error("A public URL has no path, such as http://127.0.0.1:8080 or https://ctf.example.com.");
  return url.origin;
}

/**
 * Whether challenges are served under the host name of the pages, or under a parent domain of it. Cookies ignore ports, so such a challenge would be
 * sent every visitor's session.
 */
export function isOfChallenges(publicUrl: string, domain: string): boolean {
  const { hostname } = new URL(publicUrl);
  return hostname === domain || hostname.endsWith(`.${domain}`);
}
