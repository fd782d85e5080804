/**
 * An OpenID Connect issuer on loopback: discovery document, key set and signed tokens, over TLS. It stands in for an external
 * identity provider such as Keycloak or Entra ID. It has no sign-in page: a test requests a token with the claims that it needs.
 *
 *     await using issuer = await startIssuer();
 *     const token = issuer.token("/team", { aud: "client", sub: "alice" });
 *
 * One process serves any number of issuers, one for each path.
 */
import { generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { issueCertificate, makeCa } from "@berg/local-certificates";

export interface Issuer extends AsyncDisposable {
  /** PEM of the certificate authority that signed the server's certificate. */
  readonly ca: string;
  /** The address of the issuer at `path`: the value of `iss`. */
  url(path: string): string;
  /** A token that the issuer at `path` has signed. It is valid for ten minutes. */
  token(path: string, claims: Record<string, unknown>): string;
}

const dayMs = 86_400_000;

export async function startIssuer(): Promise<Issuer> {
  const validity = { from: Date.now() - dayMs, until: Date.now() + dayMs };
  const ca = makeCa("test issuer", validity.from, validity.until);
  const { key, certificate } = issueCertificate(ca, {
    subject: { commonName: "127.0.0.1" },
    usage: "server",
    names: ["127.0.0.1"],
    ...validity,
  });
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const kid = randomUUID();
  const keySet = { keys: [{ ...publicKey.export({ format: "jwk" }), kid, alg: "RS256", use: "sig" }] };
  const server = createServer({ key, cert: certificate }, ({ url: path = "" }, response) => {
    const [base = "", isKnown] = path.split("/.well-known/openid-configuration");
    const document = path === "/keys" ? keySet : isKnown === undefined ? undefined : discovery(url(base));
    response.writeHead(document ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(document ?? {}));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  function url(path: string): string {
    return `https://127.0.0.1:${port}${path}`;
  }

  function discovery(issuer: string): object {
    return {
      issuer,
      jwks_uri: url("/keys"),
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["RS256"],
    };
  }

  return {
    ca: ca.certificate,
    url,
    token(path, claims) {
      const now = Math.floor(Date.now() / 1000);
      const signed = [
        { alg: "RS256", kid },
        { iss: url(path), iat: now, exp: now + 600, ...claims },
      ]
        .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
        .join(".");
      return `${signed}.${sign("sha256", Buffer.from(signed), privateKey).toString("base64url")}`;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
