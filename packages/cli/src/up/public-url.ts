/** Where browsers reach the pages of `berg up`. */
import { ConfigurationError } from "@berg/kube";
import { isOfChallenges } from "../public-url.ts";

/** `given`, or the default of one machine, where the pages are below `localhost` as challenges are. */
export function choosePublicUrl(given: string | undefined, port: number, domain: string): string {
  const url = given ?? `http://berg.localhost:${port}`;
  const isBelowLocalhost = domain === "localhost" && new URL(url).hostname !== domain;
  if (isBelowLocalhost || !isOfChallenges(url, domain)) return url;
  throw new ConfigurationError(
    `cannot use --public-url ${url}: challenges are at ${domain} and below it, and would be sent the players' sessions. ` +
      "Choose another name, such as http://berg.localhost or http://127.0.0.1",
  );
}
