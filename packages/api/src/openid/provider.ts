/**
 * One identity provider: where a browser is sent, and who comes back. Discovery is repeated in the background, so that a
 * provider that is away shows in the metrics; a sign-in does not wait for it unless the last answer is old or missing.
 */
import type { Clock, Logger, Timer } from "@berg/kube";
import * as client from "openid-client";
import type { Role } from "../players/store.ts";
import { type Claims, nameOf, rolesOf, subjectOf } from "./claims.ts";
import { plainOauth } from "./plain-oauth.ts";
import type { ProviderSettings } from "./settings.ts";
import { SignInError, signInErrorOf } from "./sign-in-error.ts";

/** Who signs in, as the provider says. */
export interface ProviderIdentity {
  issuer: string;
  subject: string;
  name: string;
  roles: Role[];
}

/** What only we and the browser's address bar know of one sign-in. */
export interface Challenge {
  state: string;
  nonce: string;
  codeVerifier: string;
}

export interface ProviderDeps {
  publicUrl: string;
  clock: Clock;
  log: Logger;
}

/** A discovery document is read again after this time. */
const freshMs = 60_000;
const probeMs = 30_000;
/** Of one request to the provider. */
const timeoutSeconds = 5;

interface Discovered {
  metadata: client.ServerMetadata;
  at: number;
}

export class Provider implements Disposable {
  readonly settings: ProviderSettings;
  readonly #deps: ProviderDeps;
  readonly #redirectUri: string;
  #discovered: Discovered | undefined;
  #discovering: Promise<client.ServerMetadata> | undefined;
  #isUp: boolean | undefined;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(settings: ProviderSettings, deps: ProviderDeps) {
    this.settings = settings;
    this.#deps = deps;
    this.#redirectUri = `${deps.publicUrl}/api/sign-in/${settings.name}/callback`;
  }

  get name(): string {
    return this.settings.name;
  }

  /** Whether the last request was answered; undefined before the first. */
  get isUp(): boolean | undefined {
    return this.#isUp;
  }

  /** Reads the discovery document now and then, until it is disposed of. */
  startProbing(): void {
    if (plainOauth(this.settings)) return;
    const again = () => {
      if (!this.#isStopped) this.#timer = this.#deps.clock.setTimer(probeMs, () => this.startProbing());
    };
    this.#discover().then(again, again);
  }

  /** Throws a SignInError where the provider is away. */
  async authorizationUrl({ state, nonce, codeVerifier }: Challenge): Promise<string> {
    const parameters = {
      redirect_uri: this.#redirectUri,
      scope: this.settings.scopes,
      state,
      code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: "S256",
      ...(this.settings.type === "oidc" && { nonce }),
    };
    return client.buildAuthorizationUrl(await this.#configuration(), parameters).href;
  }

  /** Redeems the code in the query of the callback. Throws a SignInError where anything does not match. */
  async identify(query: string, challenge: Challenge): Promise<ProviderIdentity> {
    try {
      const configuration = await this.#configuration();
      const url = new URL(`${this.#redirectUri}?${query}`);
      const identity = await this.#redeem(configuration, url, challenge);
      this.#reached();
      return identity;
    } catch (error) {
      const failure = signInErrorOf(error);
      // What the browser brought along tells nothing about the provider.
      if (failure.code === "provider_unavailable" && !(error instanceof client.AuthorizationResponseError)) {
        this.#missed(failure);
      }
      throw failure;
    }
  }

  /** Where to end the session at the provider; undefined where it has no such page, or is not known at the moment. */
  endSessionUrl(): string | undefined {
    const metadata = this.#discovered?.metadata;
    if (metadata?.end_session_endpoint === undefined) return undefined;
    const parameters = { post_logout_redirect_uri: `${this.#deps.publicUrl}/` };
    return client.buildEndSessionUrl(this.#configure(metadata), parameters).href;
  }

  [Symbol.dispose](): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  async #redeem(configuration: client.Configuration, url: URL, challenge: Challenge): Promise<ProviderIdentity> {
    const { type } = this.settings;
    const checks = { expectedState: challenge.state, pkceCodeVerifier: challenge.codeVerifier };
    const plain = plainOauth(this.settings);
    if (plain) {
      const { access_token } = await client.authorizationCodeGrant(configuration, url, checks);
      const response = await client.fetchProtectedResource(configuration, access_token, plain.userUrl, "GET");
      if (!response.ok) {
        const code = response.status >= 500 ? "provider_unavailable" : "sign_in_refused";
        throw new SignInError(code, `the user request was answered with ${response.status}`);
      }
      const user = (await response.json().catch(() => ({}))) as Claims;
      const subject = subjectOf(plain.subject(user));
      if (subject === undefined) throw new SignInError("sign_in_refused", `the ${type} user has no id`);
      return { issuer: plain.metadata.issuer, subject, name: nameOf(plain.names(user)), roles: [] };
    }
    const tokens = await client.authorizationCodeGrant(configuration, url, {
      ...checks,
      expectedNonce: challenge.nonce,
      idTokenExpected: true,
    });
    const idToken = tokens.claims();
    const subject = subjectOf(idToken?.sub);
    if (!idToken || subject === undefined) throw new SignInError("sign_in_refused", "the ID token has no usable sub");
    const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
    const userInfo = hasUserInfo ? await client.fetchUserInfo(configuration, tokens.access_token, idToken.sub) : {};
    // The ID token is signed, so it comes first.
    const claims: Claims = { ...userInfo, ...idToken };
    const { nameClaim } = this.settings;
    const names = [claims[nameClaim], claims.name, claims.preferred_username, claims.nickname];
    return { issuer: idToken.iss, subject, name: nameOf(names), roles: rolesOf(claims, this.settings) };
  }

  async #configuration(): Promise<client.Configuration> {
    const plain = plainOauth(this.settings);
    if (plain) return this.#configure(plain.metadata);
    const { clock } = this.#deps;
    const isFresh = this.#discovered && this.#isUp && clock.monotonic() - this.#discovered.at < freshMs;
    return this.#configure(isFresh && this.#discovered ? this.#discovered.metadata : await this.#discover());
  }

  /** A new one each time: it caches signing keys for a minute, in which a key that was just rotated would be unknown. */
  #configure(metadata: client.ServerMetadata): client.Configuration {
    const { clientId, clientSecret, issuer, type } = this.settings;
    const methods = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const usesBasic = type === "oidc" && methods.includes("client_secret_basic");
    const authentication = usesBasic ? client.ClientSecretBasic(clientSecret) : client.ClientSecretPost(clientSecret);
    const configuration = new client.Configuration(metadata, clientId, undefined, authentication);
    configuration.timeout = timeoutSeconds;
    if (type === "oidc") client.enableNonRepudiationChecks(configuration);
    if (issuer.startsWith("http:")) client.allowInsecureRequests(configuration);
    return configuration;
  }

  /** Several callers share one request. */
  #discover(): Promise<client.ServerMetadata> {
    this.#discovering ??= this.#readMetadata().finally(() => (this.#discovering = undefined));
    return this.#discovering;
  }

  async #readMetadata(): Promise<client.ServerMetadata> {
    const { issuer, clientId } = this.settings;
    try {
      const found = await client.discovery(new URL(issuer), clientId, undefined, undefined, {
        timeout: timeoutSeconds,
        execute: issuer.startsWith("http:") ? [client.allowInsecureRequests] : [],
      });
      const metadata = found.serverMetadata();
      this.#discovered = { metadata, at: this.#deps.clock.monotonic() };
      this.#reached();
      return metadata;
    } catch (error) {
      const { message } = signInErrorOf(error);
      // Whatever is wrong with its discovery document, nobody can sign in there.
      const failure = new SignInError("provider_unavailable", `discovery failed: ${message}`);
      this.#missed(failure);
      throw failure;
    }
  }

  #reached(): void {
    if (this.#isUp === false) this.#deps.log.info({ provider: this.name }, "the identity provider answers again");
    this.#isUp = true;
  }

  #missed({ message }: SignInError): void {
    if (this.#isUp !== false) {
      this.#deps.log.warn({ provider: this.name, reason: message }, "the identity provider does not answer");
    }
    this.#isUp = false;
  }
}
