/** Discord and CTFtime: OAuth 2 with a user request of their own, and no discovery document that could be read. */
import type { ServerMetadata } from "openid-client";
import type { Claims } from "./claims.ts";
import type { ProviderSettings } from "./settings.ts";

export interface PlainOauth {
  metadata: ServerMetadata;
  userUrl: URL;
  /** The id in the answer to the user request. */
  subject(user: Claims): unknown;
  /** What the person is called there; the first that is usable counts. */
  names(user: Claims): unknown[];
}

/** Undefined for OpenID Connect. */
export function plainOauth({ type, issuer }: Pick<ProviderSettings, "type" | "issuer">): PlainOauth | undefined {
  const base = issuer.replace(/\/$/, "");
  switch (type) {
    case "oidc":
      return undefined;
    case "discord":
      return {
        metadata: {
          issuer,
          authorization_endpoint: `${base}/oauth2/authorize`,
          token_endpoint: `${base}/api/oauth2/token`,
        },
        userUrl: new URL(`${base}/api/users/@me`),
        subject: ({ id }) => id,
        names: ({ global_name, username }) => [global_name, username],
      };
    case "ctftime":
      return {
        metadata: { issuer, authorization_endpoint: `${base}/authorize`, token_endpoint: `${base}/token` },
        userUrl: new URL(`${base}/user`),
        // One account a team: with the scope team:read, CTFtime names nobody of it.
        subject: ({ team }) => (team as Claims | undefined)?.id,
        names: ({ team }) => [(team as Claims | undefined)?.name],
      };
  }
}
