/**
 * Tokens of service accounts, as Kubernetes makes them: signed, for an audience, for a time, and bound to the account and,
 * where asked for, to a pod, a secret or a node. One whose account or object is gone, or was made anew, is worth nothing.
 */
import { createHash, createPublicKey, type KeyObject, randomUUID, sign, verify } from "node:crypto";
import { makeKey, type ObjectKey } from "@berg/apimachinery";
import type { Clock } from "@berg/kube";
import type { Store } from "../storage/table.ts";
import { authenticatedGroup, type User } from "./user.ts";

/** What a token is bound to. */
export interface BoundObject {
  kind: "Pod" | "Secret" | "Node";
  name: string;
  uid: string;
}

export interface TokenWish {
  namespace: string;
  name: string;
  uid: string;
  audiences: readonly string[];
  seconds: number;
  bound?: BoundObject;
}

interface Claims {
  aud: string[];
  exp: number;
  iat: number;
  nbf: number;
  iss: string;
  jti: string;
  sub: string;
  "kubernetes.io": {
    namespace: string;
    serviceaccount: { name: string; uid: string };
    pod?: Named;
    secret?: Named;
    node?: Named;
  };
}

interface Named {
  name: string;
  uid: string;
}

export const issuer = "https://kubernetes.default.svc.cluster.local";

export class ServiceAccountTokens {
  readonly #privateKey: string;
  readonly #publicKey: KeyObject;
  readonly #keyId: string;
  readonly #store: Store;
  readonly #clock: Clock;

  /** `privateKey`: of the curve P-256, as PEM. */
  constructor(privateKey: string, store: Store, clock: Clock) {
    this.#privateKey = privateKey;
    this.#publicKey = createPublicKey(privateKey);
    const spki = this.#publicKey.export({ type: "spki", format: "der" });
    this.#keyId = createHash("sha256").update(spki).digest("base64url");
    this.#store = store;
    this.#clock = clock;
  }

  issue({ namespace, name, uid, audiences, seconds, bound }: TokenWish): { token: string; expiresAt: number } {
    const now = Math.floor(this.#clock.now() / 1000);
    const claims: Claims = {
      aud: [...audiences],
      exp: now + seconds,
      iat: now,
      iss: issuer,
      jti: randomUUID(),
      "kubernetes.io": {
        namespace,
        serviceaccount: { name, uid },
        ...(bound && { [bound.kind.toLowerCase()]: { name: bound.name, uid: bound.uid } }),
      },
      nbf: now,
      sub: userName(namespace, name),
    };
    const text = `${encode({ alg: "ES256", kid: this.#keyId, typ: "JWT" })}.${encode(claims)}`;
    const signature = sign("sha256", Buffer.from(text), { key: this.#privateKey, dsaEncoding: "ieee-p1363" });
    return { token: `${text}.${signature.toString("base64url")}`, expiresAt: claims.exp * 1000 };
  }

  /** Whose it is; undefined where it is not ours, not for this audience, out of its time, or of one that is gone. */
  verify(token: string, audience = issuer): User | undefined {
    const claims = this.#read(token);
    if (!claims?.aud.includes(audience)) return undefined;
    const now = this.#clock.now() / 1000;
    if (claims.iss !== issuer || now < claims.nbf || now >= claims.exp) return undefined;
    const { namespace, serviceaccount, pod, secret, node } = claims["kubernetes.io"];
    const isThere =
      this.#lives("serviceaccounts", makeKey(namespace, serviceaccount.name), serviceaccount) &&
      (!pod || this.#lives("pods", makeKey(namespace, pod.name), pod)) &&
      (!secret || this.#lives("secrets", makeKey(namespace, secret.name), secret)) &&
      (!node || this.#lives("nodes", node.name, node));
    return isThere ? userOf(claims) : undefined;
  }

  /** For whoever checks our tokens elsewhere. */
  get keys(): object {
    const key = this.#publicKey.export({ format: "jwk" });
    return { keys: [{ ...key, use: "sig", kid: this.#keyId, alg: "ES256" }] };
  }

  #lives(table: string, key: ObjectKey, { uid }: Named): boolean {
    return this.#store.table(table).get(key)?.metadata.uid === uid;
  }

  #read(token: string): Claims | undefined {
    const [head = "", body = "", signature = "", more] = token.split(".");
    if (more !== undefined || decode<{ alg?: unknown }>(head)?.alg !== "ES256") return undefined;
    const key = { key: this.#publicKey, dsaEncoding: "ieee-p1363" } as const;
    const isSigned = verify("sha256", Buffer.from(`${head}.${body}`), key, Buffer.from(signature, "base64url"));
    return isSigned ? decode<Claims>(body) : undefined;
  }
}

function userOf({ jti, "kubernetes.io": { namespace, serviceaccount, pod, node } }: Claims): User {
  const key = "authentication.kubernetes.io";
  return {
    name: userName(namespace, serviceaccount.name),
    uid: serviceaccount.uid,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, authenticatedGroup],
    extra: {
      [`${key}/credential-id`]: [`JTI=${jti}`],
      ...(node && { [`${key}/node-name`]: [node.name], [`${key}/node-uid`]: [node.uid] }),
      ...(pod && { [`${key}/pod-name`]: [pod.name], [`${key}/pod-uid`]: [pod.uid] }),
    },
  };
}

function userName(namespace: string, name: string): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

function decode<T>(text: string): T | undefined {
  try {
    return JSON.parse(Buffer.from(text, "base64url").toString("utf8")) as T;
  } catch {
    return undefined;
  }
}
