/** `serviceaccounts/token`: a new token for a service account. */
import { formatTime, makeKey, parseApiVersion } from "@berg/apimachinery";
import { invalid } from "../errors/field-error.ts";
import { badRequest, conflict, notFound, invalid as refuseInvalid } from "../errors/refusals.ts";
import type { Endpoint } from "../http/endpoints.ts";
import type { Registry } from "../registry/registry.ts";
import type { AnyObject, AnyStoredObject } from "../registry/resource.ts";
import { checkSent } from "../registry/subresources/check-sent.ts";
import type { Place } from "../registry/verbs.ts";
import type { Store } from "../storage/table.ts";
import { type BoundObject, issuer, type ServiceAccountTokens } from "./service-account-tokens.ts";

interface TokenRequest extends AnyObject {
  spec: {
    audiences?: string[] | null;
    expirationSeconds?: number | null;
    boundObjectRef?: { kind?: string; apiVersion?: string; name?: string; uid?: string } | null;
  };
}

const usualSeconds = 3600;
const leastSeconds = 600;
const mostSeconds = 2 ** 32;
const tables = { Pod: "pods", Secret: "secrets", Node: "nodes" } as const;

export function tokenEndpoint(tokens: ServiceAccountTokens, registry: Registry): Endpoint {
  const { store, clock } = registry;
  return {
    async create({ resource, namespace, name }, body, options, caller) {
      const sent = body.value as TokenRequest;
      const { metadata = { name }, spec = {} } = sent;
      const account = store.table("serviceaccounts").get(makeKey(namespace, name));
      if (!account) throw notFound({ ...resource, name });
      const { uid } = account.metadata;
      checkMatches(metadata, { namespace, name, uid });
      checkSent(registry, { resource, namespace, name }, "token", sent, options, caller);
      const audiences = spec.audiences?.length ? spec.audiences : [issuer];
      const seconds = spec.expirationSeconds ?? usualSeconds;
      checkSeconds(seconds);
      const bound = spec.boundObjectRef
        ? boundObject(spec.boundObjectRef, { resource, namespace, name }, store)
        : undefined;
      const { token, expiresAt } = tokens.issue({ namespace, name, uid, audiences, seconds, ...(bound && { bound }) });
      return {
        kind: "TokenRequest",
        apiVersion: "authentication.k8s.io/v1",
        metadata: { ...metadata, name, namespace, uid, creationTimestamp: formatTime(clock.now()) },
        spec: { audiences, expirationSeconds: seconds, boundObjectRef: spec.boundObjectRef ?? null },
        status: { token, expirationTimestamp: formatTime(expiresAt) },
      } as AnyObject;
    },
  };
}

function checkMatches(
  metadata: { name?: string; namespace?: string; uid?: string },
  account: { namespace: string; name: string; uid: string },
): void {
  for (const field of ["name", "namespace"] as const) {
    if (!metadata[field] || metadata[field] === account[field]) continue;
    const detail = `must match the service account ${field} if specified`;
    throw refusedRequest(account.name, invalid(`metadata.${field}`, metadata[field], detail));
  }
  if (!metadata.uid || metadata.uid === account.uid) return;
  const why = `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${account.uid})`;
  throw conflict({ group: "authentication.k8s.io", resource: "TokenRequest", name: account.name }, why);
}

function checkSeconds(seconds: number): void {
  const field = "spec.expirationSeconds";
  if (seconds < leastSeconds)
    throw refusedRequest("", invalid(field, seconds, "may not specify a duration less than 10 minutes"));
  if (seconds > mostSeconds)
    throw refusedRequest("", invalid(field, seconds, "may not specify a duration larger than 2^32 seconds"));
}

function refusedRequest(name: string, error: ReturnType<typeof invalid>) {
  return refuseInvalid({ group: "authentication.k8s.io", kind: "TokenRequest", name }, [error]);
}

function boundObject(
  wanted: { kind?: string; apiVersion?: string; name?: string; uid?: string },
  { namespace, name: account }: Place,
  store: Store,
): BoundObject {
  const { kind = "", apiVersion = "", name = "", uid } = wanted;
  const { group, version } = parseApiVersion(apiVersion);
  if (group !== "" || !isBindable(kind)) {
    throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  }
  const found = store.table(tables[kind]).get(kind === "Node" ? name : makeKey(namespace, name));
  if (!found) throw notFound({ group: "", resource: tables[kind], name });
  const runsAs = (found as AnyStoredObject & { spec?: { serviceAccountName?: string } }).spec?.serviceAccountName;
  if (kind === "Pod" && runsAs !== account) {
    throw badRequest(
      `cannot bind token for serviceaccount "${account}" to pod running with different serviceaccount name.`,
    );
  }
  if (uid && uid !== found.metadata.uid) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group, resource: kind, name }, why);
  }
  return { kind, name, uid: found.metadata.uid };
}

function isBindable(kind: string): kind is keyof typeof tables {
  return Object.hasOwn(tables, kind);
}
