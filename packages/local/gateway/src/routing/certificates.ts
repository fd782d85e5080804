/** The certificate of a listener that ends TLS: from its Secret, or made for each hostname. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import type { Secret } from "@berg/kube";
import type { Listener, ObjectReference } from "../kinds.ts";
import type { Verdict } from "../vocabulary.ts";
import type { RoutingState } from "./state.ts";
import type { Certificate } from "./table.ts";

type Found = { certificate: Certificate } | { problem: Verdict };

export function certificateOf(tls: Listener["tls"], namespace: string, state: RoutingState): Found {
  const [ref, ...others] = tls?.certificateRefs ?? [];
  if (!ref) return issued(state);
  if (others.length > 0) return invalid("more than one certificate for a listener is not supported");
  const { group = "", kind = "Secret", name } = ref;
  if (group !== "" || kind !== "Secret")
    return invalid(`certificates come from Secrets, not from ${describeKind(ref)}`);
  if ((ref.namespace ?? namespace) !== namespace) {
    const message = `the Secret ${ref.namespace}/${name} is in another namespace, which is not supported`;
    return { problem: { reason: "RefNotPermitted", message } };
  }
  const secret = state.secret(`${namespace}/${name}`);
  return secret ? readSecret(secret) : invalid(`there is no Secret ${namespace}/${name} of type kubernetes.io/tls`);
}

function issued({ issuesCertificates }: RoutingState): Found {
  return issuesCertificates
    ? { certificate: { from: "issuer" } }
    : invalid("the listener names no certificate, and none are made here");
}

function readSecret({ metadata, data = {} }: Secret): Found {
  const [cert, key] = ["tls.crt", "tls.key"].map((name) => Buffer.from(data[name] ?? "", "base64").toString("utf8"));
  if (cert === undefined || key === undefined || !isPair(cert, key)) {
    // Not a word of what stands in it.
    return invalid(`the Secret ${metadata.namespace}/${metadata.name} holds no certificate with its key`);
  }
  return { certificate: { from: "secret", cert, key } };
}

function isPair(cert: string, key: string): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

function invalid(message: string): Found {
  return { problem: { reason: "InvalidCertificateRef", message } };
}

export function describeKind({ group, kind }: Pick<ObjectReference, "group" | "kind">): string {
  return group ? `${kind}.${group}` : `${kind}`;
}
