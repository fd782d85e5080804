/**
 * Keeps holders of kubeconfigs from making tokens. Who writes Secrets in a namespace could otherwise write one of type
 * kubernetes.io/service-account-token, which Kubernetes fills with a token of any service account beside it: one that does not
 * expire, and that no revocation ends. RBAC cannot tell Secrets apart by their type; an admission policy can.
 *
 * It is shared by all requests of a cluster, and never removed.
 */
import {
  isAlreadyExists,
  isForbidden,
  isNotFound,
  jsonEqual,
  type ResourceType,
  type ToCreate,
} from "@berg/apimachinery";
import { type Client, type Clock, NotOurs, Secrets, sleep } from "@berg/kube";
import { accessNamespace, labels, managedByClusters } from "../../vocabulary.ts";
import { TargetTrouble } from "../trouble.ts";
import { conditionTypes, fieldManager, reasons, texts } from "../vocabulary.ts";
import { type Policy, ValidatingAdmissionPolicies, ValidatingAdmissionPolicyBindings } from "./kinds.ts";
import type { Named } from "./objects.ts";

const metadata = { name: "berg-clusters-no-token-secrets", labels: { [labels.managedBy]: managedByClusters } };
const tokenType = "kubernetes.io/service-account-token";

/** With everything that the API server fills in, so that any change of it is seen. */
const policy = {
  metadata,
  spec: {
    failurePolicy: "Fail",
    matchConstraints: {
      matchPolicy: "Equivalent",
      namespaceSelector: {},
      objectSelector: {},
      resourceRules: [
        {
          apiGroups: [""],
          apiVersions: ["*"],
          operations: ["CREATE", "UPDATE"],
          resources: ["secrets"],
          scope: "*",
        },
      ],
    },
    validations: [
      {
        // In the namespace of the accounts nobody may: so the administrator can try whether the policy is in force.
        expression: `object.type != '${tokenType}' || (request.namespace != '${accessNamespace}' && !('system:serviceaccounts:${accessNamespace}' in request.userInfo.groups))`,
        message: `a kubeconfig that can be revoked cannot write Secrets of type ${tokenType}`,
        reason: "Forbidden",
      },
    ],
  },
};

const binding = { metadata, spec: { policyName: metadata.name, validationActions: ["Deny"] } };

/** API servers learn of a policy within a second or two. */
const triesAfterMs = [250, 500, 1_000, 2_000, 4_000];

/** Returns when the policy is in force: to be called before anybody is granted to write Secrets in `namespace`. */
export async function ensureTokenPolicy(
  client: Client,
  namespace: string,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<void> {
  try {
    await ensureShared(client, ValidatingAdmissionPolicies, policy, signal);
    await ensureShared(client, ValidatingAdmissionPolicyBindings, binding, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const message = texts.policyUnsupported(namespace);
    throw new TargetTrouble({
      type: conditionTypes.rulesAccepted,
      reason: reasons.escalatingRules,
      message,
      again: false,
    });
  }
  for (const delay of triesAfterMs) {
    if (await isInForce(client, signal)) return;
    await sleep(clock, delay, signal);
  }
  const { policyNotInForce: message } = texts;
  throw new TargetTrouble({
    type: conditionTypes.rbacReady,
    reason: reasons.policyNotInForce,
    message,
    again: true,
  });
}

async function ensureShared(
  client: Client,
  type: ResourceType<Policy>,
  manifest: Named<ToCreate<Policy>>,
  signal: AbortSignal,
): Promise<void> {
  const { name } = manifest.metadata;
  const found = await client.get(type, "", name, { signal }).catch((error) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  if (!found) {
    await client.create(type, manifest, { fieldManager, signal }).catch((error) => {
      // Another request was first.
      if (!isAlreadyExists(error)) throw error;
    });
    return;
  }
  if (found.metadata.labels?.[labels.managedBy] !== managedByClusters) throw new NotOurs(type, "", name);
  if (!jsonEqual(found.spec, manifest.spec))
    await client.update(type, { ...found, spec: manifest.spec }, { fieldManager, signal });
}

async function isInForce(client: Client, signal: AbortSignal): Promise<boolean> {
  const probe = {
    metadata: {
      name: "probe",
      namespace: accessNamespace,
      annotations: { "kubernetes.io/service-account.name": "default" },
    },
    type: tokenType,
  };
  try {
    await client.create(Secrets, probe, { dryRun: true, signal });
    return false;
  } catch (error) {
    if (isForbidden(error)) return true;
    throw error;
  }
}
