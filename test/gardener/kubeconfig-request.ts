/**
 * What Gardener answers to `adminkubeconfig` and `viewerkubeconfig`: how long it holds, when it refuses, and the client
 * certificate that it signs. Pure: no request is made here.
 */
import { formatTime } from "@berg/apimachinery";
import { issueCertificate } from "@berg/local-certificates";
import { stringify } from "yaml";
import type { TestShoot } from "./kinds.ts";
import type { GardenTarget } from "./target.ts";
import { projectAdmins, projectViewers } from "./target-groups.ts";

/** Seconds. */
const shortest = 600;
const unlessAsked = 3600;
const longest = 24 * 3600;

const roles = {
  adminkubeconfig: { kind: "AdminKubeconfigRequest", prefix: "gardener.cloud:admin:", group: projectAdmins },
  viewerkubeconfig: { kind: "ViewerKubeconfigRequest", prefix: "gardener.cloud:viewer:", group: projectViewers },
} as const;
export type KubeconfigSubresource = keyof typeof roles;
export const isKubeconfigSubresource = (name: string): name is KubeconfigSubresource => name in roles;

/** Of those that a Shoot may advertise, the ones that are its API server's. */
const serverAddresses = new Set(["external", "internal", "unmanaged", "wildcard-tls-seed-bound"]);

export interface Asked {
  subresource: KubeconfigSubresource;
  body: { spec?: { expirationSeconds?: number } };
  caller: string;
  shoot: TestShoot;
  /** Undefined while its CA is not known to the garden yet. */
  target: Pick<GardenTarget, "clientCa" | "serverCa"> | undefined;
  now: number;
}

export interface Given {
  status: number;
  body: object;
}

export function answerKubeconfigRequest(asked: Asked): Given {
  const { kind, prefix, group } = roles[asked.subresource];
  const wanted = asked.body.spec?.expirationSeconds ?? unlessAsked;
  const { name = "", namespace = "" } = asked.shoot.metadata;
  if (wanted < shortest) {
    const text = `spec.expirationSeconds: Invalid value: ${wanted}: may not specify a duration less than 10 minutes`;
    return invalid(kind, "", text);
  }
  const addresses = asked.shoot.status?.advertisedAddresses?.filter((address) => serverAddresses.has(address.name));
  if (!addresses?.length)
    return invalid(
      kind,
      name,
      "status.advertisedAddresses: Invalid value: null: no kube-apiserver address is advertised",
    );
  if (!asked.target) return internal("could not get client CA secret");

  const until = asked.now + Math.min(wanted, longest) * 1000;
  const { key, certificate } = issueCertificate(asked.target.clientCa, {
    subject: { commonName: `${prefix}${asked.caller}`, organizations: [group] },
    usage: "client",
    from: asked.now - 60_000,
    until,
  });
  const user = `${namespace}--${name}`;
  const named = addresses.map((address) => ({ name: `${user}-${address.name}`, url: address.url }));
  const ca = base64(asked.target.serverCa);
  const kubeconfig = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": named[0]?.name,
    clusters: named.map((of) => ({ name: of.name, cluster: { server: of.url, "certificate-authority-data": ca } })),
    contexts: named.map((of) => ({ name: of.name, context: { cluster: of.name, user } })),
    users: [{ name: user, user: { "client-certificate-data": base64(certificate), "client-key-data": base64(key) } }],
  };
  return {
    status: 201,
    body: {
      apiVersion: "authentication.gardener.cloud/v1alpha1",
      kind,
      metadata: {},
      spec: { expirationSeconds: Math.min(wanted, longest) },
      status: { kubeconfig: base64(stringify(kubeconfig)), expirationTimestamp: formatTime(until) },
    },
  };
}

function invalid(kind: string, name: string, text: string): Given {
  const message = `${kind}.authentication.gardener.cloud "${name}" is invalid: ${text}`;
  return refusal(422, "Invalid", message);
}

function internal(text: string): Given {
  return refusal(500, "InternalError", `Internal error occurred: ${text}`);
}

export function refusal(code: number, reason: string, message: string): Given {
  const status = { apiVersion: "v1", kind: "Status", metadata: {}, status: "Failure", message, reason, code };
  return { status: code, body: status };
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
