/** Where browsers reach the pages. */
import { ConfigurationError } from "@berg/kube";

/**
 * `given`, or the default of one machine. Cookies ignore ports, so the pages must not have the name under which challenges
 * listen at ports of their own: such a challenge would be sent every visitor's session.
 */
export function choosePublicUrl(given: string | undefined, port: number, domain: string): string {
  const url = given ?? `http://berg.localhost:${port}`;
  const { hostname } = new URL(url);
  const isBelow = hostname.endsWith(`.${domain}`) && domain !== "localhost";
  if (hostname !== domain && !isBelow) return url;
  throw new ConfigurationError(
    `cannot use --public-url ${url}: challenges are at ${domain} and below it, and would be sent the players' sessions. ` +
      "Choose another name, such as http://berg.localhost or http://127.0.0.1",
  );
}
