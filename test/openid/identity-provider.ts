/**
 * A real OpenID Connect provider (the package oidc-provider) on a port of its own, with a sign-in form that asks for the
 * account and no password. Tests can take it away, rotate its key and make it issue ID tokens that are wrong.
 */
import { createSign, generateKeyPairSync, type KeyObject, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";

export interface IdentityProviderOptions {
  /** Where Berg is: its callback for the client `name` is allowed. */
  publicUrl: string;
  /** Of the provider in Berg's settings. */
  name: string;
  /** Seconds that a code is valid. */
  codeLifetime?: number;
}

interface SigningKey {
  id: string;
  key: KeyObject;
}

type IdTokenClaims = Record<string, unknown>;

export const clientSecret = "a-client-secret-that-must-not-leak";

export class IdentityProvider implements AsyncDisposable {
  readonly clientId = "berg";
  /** Claims of each account, by its `sub`. A missing account is one without claims. */
  readonly accounts = new Map<string, Record<string, unknown>>();
  /** Changes every ID token; it is signed again with the real key. */
  tamper: ((claims: IdTokenClaims) => IdTokenClaims) | undefined;
  /** How many requests came in for each path. */
  readonly requests: string[] = [];
  readonly #options: IdentityProviderOptions;
  #server: Server | undefined;
  #port = 0;
  #key = newKey();
  #provider: Provider | undefined;

  private constructor(options: IdentityProviderOptions) {
    this.#options = options;
  }

  static async start(options: IdentityProviderOptions): Promise<IdentityProvider> {
    const provider = new IdentityProvider(options);
    await provider.comeBack();
    return provider;
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** For `OIDC_<NAME>_…`. */
  environment(more: Record<string, string> = {}): Record<string, string> {
    const { name } = this.#options;
    const settings = { ISSUER: this.issuer, CLIENT_ID: this.clientId, CLIENT_SECRET: clientSecret, ...more };
    const named = Object.entries(settings).map(([key, value]) => [`OIDC_${name.toUpperCase()}_${key}`, value]);
    return Object.fromEntries(named);
  }

  /** Listens, on the same port as before. */
  async comeBack(): Promise<void> {
    const server = createServer((request, response) => void this.#answer(request, response));
    this.#server = server;
    server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    this.#port = (server.address() as AddressInfo).port;
    this.#provider ??= this.#create();
  }

  async goAway(): Promise<void> {
    this.#server?.closeAllConnections();
    this.#server?.close();
    await once(this.#server as Server, "close");
  }

  /** From now on ID tokens are signed with another key, and only that one is published. */
  rotateKey(): void {
    this.#key = newKey();
    this.#provider = this.#create();
  }

  /** ID tokens that are tampered with get the signature of the other's key; this one's key id stays. */
  signWith(other: IdentityProvider): void {
    this.#key = { id: this.#key.id, key: other.#key.key };
  }

  /** Does what a browser does at the provider, from the authorization URL to the URL of the callback. */
  async signIn(authorizationUrl: string, account: string): Promise<string> {
    const cookies = new Map<string, string>();
    let url = authorizationUrl;
    let form: URLSearchParams | undefined;
    for (let step = 0; step < 10; step++) {
      const response = await fetch(url, {
        redirect: "manual",
        headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
        ...(form && { method: "POST", body: form }),
      });
      for (const cookie of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
        cookies.set(name, value);
      }
      const location = response.headers.get("location");
      form = undefined;
      if (location !== null) {
        url = new URL(location, url).href;
        if (!url.startsWith(this.issuer)) return url;
      } else if (new URL(url).pathname.startsWith("/interaction/")) {
        form = new URLSearchParams({ account });
      } else throw new Error(`the provider answered ${response.status}: ${await response.text()}`);
    }
    throw new Error("the provider does not stop redirecting");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server?.listening) await this.goAway();
  }

  #create(): Provider {
    const { publicUrl, name, codeLifetime = 60 } = this.#options;
    const provider = new Provider(this.issuer, {
      clients: [
        {
          client_id: this.clientId,
          client_secret: clientSecret,
          redirect_uris: [`${publicUrl}/api/sign-in/${name}/callback`],
          post_logout_redirect_uris: [`${publicUrl}/`],
        },
      ],
      jwks: { keys: [{ ...this.#key.key.export({ format: "jwk" }), kid: this.#key.id, alg: "RS256", use: "sig" }] },
      cookies: { keys: ["test"] },
      claims: { openid: ["sub"], profile: ["name"], groups: ["groups"] },
      findAccount: (_, id) => ({ accountId: id, claims: () => ({ ...this.accounts.get(id), sub: id }) }),
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      ttl: {
        AuthorizationCode: codeLifetime,
        Session: 600,
        Interaction: 600,
        Grant: 600,
        IdToken: 600,
        AccessToken: 600,
      },
      // Nobody is asked for consent.
      async loadExistingGrant({ oidc }) {
        const grant = new oidc.provider.Grant({
          clientId: oidc.client?.clientId as string,
          accountId: oidc.session?.accountId as string,
        });
        grant.addOIDCScope("openid profile groups");
        await grant.save();
        return grant;
      },
    });
    provider.use(async (context, next) => {
      await next();
      const body = context.body as { id_token?: string } | undefined;
      if (context.path === "/token" && body?.id_token && this.tamper) {
        const claims = JSON.parse(Buffer.from(body.id_token.split(".")[1] as string, "base64url").toString());
        body.id_token = sign(this.tamper(claims), this.#key);
      }
    });
    return provider;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const provider = this.#provider as Provider;
    const path = new URL(request.url ?? "/", this.issuer).pathname;
    this.requests.push(path);
    if (!path.startsWith("/interaction/")) return void (await provider.callback()(request, response));
    if (request.method !== "POST") {
      const form = '<form method="post"><label>Account <input name="account"></label><button>Continue</button></form>';
      response.setHeader("content-type", "text/html").end(`<!doctype html><title>Provider</title>${form}`);
      return;
    }
    let body = "";
    for await (const piece of request.setEncoding("utf8")) body += piece;
    const accountId = new URLSearchParams(body).get("account") ?? "";
    const result = accountId === "" ? { error: "access_denied" } : { login: { accountId } };
    await provider.interactionFinished(request, response, result);
  }
}

function newKey(): SigningKey {
  return { id: randomUUID(), key: generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey };
}

function sign(claims: IdTokenClaims, { id, key }: SigningKey): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${part({ alg: "RS256", kid: id, typ: "JWT" })}.${part(claims)}`;
  return `${signed}.${createSign("RSA-SHA256").update(signed).sign(key).toString("base64url")}`;
}
