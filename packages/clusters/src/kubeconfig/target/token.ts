/** A token of a request's service account, bound to an anchor of its own, and tried before anybody gets it. */
import { createHash } from "node:crypto";
import { defineResource, isForbidden, isUnauthorized, type KubeObject, type Stored } from "@berg/apimachinery";
import { type Client, type Clock, type Secret, Secrets, type ServiceAccount, ServiceAccounts, sleep } from "@berg/kube";
import type { Target } from "../../target/target.ts";
import type { Request } from "../names.ts";
import { type Life, leastLifeMs, lifeByOurClock } from "../schedule.ts";
import { nonsense, TargetTrouble } from "../trouble.ts";
import { conditionTypes, fieldManager, reasons, texts } from "../vocabulary.ts";
import { anchor } from "./objects.ts";

export interface Token {
  /** Secret. */
  text: string;
  life: Life;
  credentialHash: string;
  anchorUid: string;
}

interface TokenRequest {
  status: { token: string; expirationTimestamp: string };
}

const SelfSubjectRulesReviews = defineResource<KubeObject & { spec: { namespace: string } }>({
  group: "authorization.k8s.io",
  version: "v1",
  resource: "selfsubjectrulesreviews",
  kind: "SelfSubjectRulesReview",
  namespaced: false,
});

/** The cluster may take a moment until all its API servers know of the anchor. */
const triesAfterMs = [200, 400, 800, 1_600];
const hashLength = 16;

export async function mint(
  target: Target,
  request: Request,
  account: Stored<ServiceAccount>,
  epoch: number,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<Token> {
  const { client } = target;
  const made = await client.create(Secrets, anchor(request, epoch), { fieldManager, signal });
  const text = await askToken(client, request, account, made, signal);
  const life = lifeByOurClock(lifeIn(text.status, clock.now()), clock.now(), request.spec.expiration * 1000);
  if (life.expiresAt < clock.now() + leastLifeMs)
    throw trouble({ reason: reasons.tokenTooShort, message: texts.tokenTooShort });
  const { token } = text.status;
  await tryOut(target, request, token, clock, signal);
  const credentialHash = createHash("sha256").update(token).digest("hex").slice(0, hashLength);
  return { text: token, life, credentialHash, anchorUid: made.metadata.uid };
}

function askToken(
  client: Client,
  { spec }: Request,
  { metadata }: Stored<ServiceAccount>,
  bound: Stored<Secret>,
  signal: AbortSignal,
): Promise<TokenRequest> {
  const { namespace = "", name } = metadata;
  const body = {
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenRequest",
    spec: {
      audiences: spec.audiences ?? [],
      expirationSeconds: spec.expiration,
      boundObjectRef: { apiVersion: "v1", kind: "Secret", name: bound.metadata.name, uid: bound.metadata.uid },
    },
  };
  return client.createSubresource<TokenRequest>(ServiceAccounts, namespace, name, "token", body, { signal });
}

/** By the clock of the target: when it was made stands in the token itself. */
function lifeIn({ token, expirationTimestamp }: TokenRequest["status"], now: number): Life {
  const expiresAt = Date.parse(expirationTimestamp);
  if (Number.isNaN(expiresAt)) throw new TargetTrouble(nonsense);
  const issued = issuedIn(token);
  return { issuedAt: issued === undefined ? now : issued * 1000, expiresAt };
}

function issuedIn(token: string): number | undefined {
  try {
    const { iat } = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8")) as {
      iat?: unknown;
    };
    return typeof iat === "number" && Number.isFinite(iat) ? iat : undefined;
  } catch {
    return undefined;
  }
}

/** As whoever will use it, at the address that stands in the kubeconfig. */
async function tryOut(target: Target, request: Request, token: string, clock: Clock, signal: AbortSignal) {
  const client = target.connectWith(token);
  const review = { metadata: { name: "self" }, spec: { namespace: request.spec.role?.namespace ?? "default" } };
  try {
    for (const delay of [...triesAfterMs, undefined]) {
      try {
        await client.create(SelfSubjectRulesReviews, review, { signal });
        return;
      } catch (error) {
        // Known to the cluster, and not allowed to ask: good enough.
        if (isForbidden(error)) return;
        if (!isUnauthorized(error)) throw error;
        if (delay === undefined) throw trouble({ reason: reasons.tokenRefused, message: texts.tokenRefused });
        await sleep(clock, delay, signal);
      }
    }
  } finally {
    await client.close();
  }
}

function trouble({ reason, message }: { reason: string; message: string }): TargetTrouble {
  return new TargetTrouble({ type: conditionTypes.issued, reason, message, again: true });
}
