/** Who sent a request, by what came with it: a certificate, or a token. Undefined where neither is known here. */
import { timingSafeEqual, type X509Certificate } from "node:crypto";
import { subjectOf } from "@berg/local-certificates";
import type { ServiceAccountTokens } from "./service-account-tokens.ts";
import { authenticatedGroup, type User } from "./user.ts";

export interface Presented {
  /** Of the Authorization header, as it came. */
  authorization: string | undefined;
  /** That of the connection, where the server has found it to be signed by a CA it trusts. */
  certificate: X509Certificate | undefined;
}

export class Authenticator {
  readonly #tokens: { token: Buffer; user: User }[];
  readonly #serviceAccounts: ServiceAccountTokens;

  constructor(tokens: readonly { token: string; user: User }[], serviceAccounts: ServiceAccountTokens) {
    this.#tokens = tokens.map(({ token, user }) => ({ token: Buffer.from(token), user: withAuthenticated(user) }));
    this.#serviceAccounts = serviceAccounts;
  }

  authenticate({ authorization, certificate }: Presented): User | undefined {
    // A connection has a certificate once and for all: who sends a token too means to be somebody else, or is in error.
    const byCertificate = certificate && userOfCertificate(certificate);
    if (byCertificate) return byCertificate;
    const token = /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
    return token === undefined ? undefined : (this.userOfToken(token) ?? undefined);
  }

  userOfToken(token: string, audience?: string): User | undefined {
    const given = Buffer.from(token);
    const known = this.#tokens.find(
      ({ token: wanted }) => wanted.length === given.length && timingSafeEqual(wanted, given),
    );
    return known?.user ?? this.#serviceAccounts.verify(token, audience);
  }
}

function userOfCertificate(certificate: X509Certificate): User | undefined {
  const { commonName, organizations } = subjectOf(certificate);
  if (commonName === "") return undefined;
  const fingerprint = certificate.fingerprint256.replaceAll(":", "").toLowerCase();
  return withAuthenticated({
    name: commonName,
    groups: organizations,
    extra: { "authentication.kubernetes.io/credential-id": [`X509SHA256=${fingerprint}`] },
  });
}

function withAuthenticated(user: User): User {
  return { ...user, groups: [...user.groups, authenticatedGroup] };
}
