/**
 * What Gardener's admission plugins refuse and a CRD cannot: a deletion that nobody confirmed, one that the same person
 * confirmed and asks for where two must, and a name too long for what Gardener makes of it.
 */
import { setTimeout as delay } from "node:timers/promises";
import { defineResource, type KubeObject } from "@berg/apimachinery";
import type { Client } from "@berg/kube";
import { Shoots } from "../kinds.ts";
import { sampleShoot } from "../samples.ts";

const admission = { group: "admissionregistration.k8s.io", version: "v1", namespaced: false } as const;
type Policy = KubeObject & { spec: Record<string, unknown> };

const kinds = {
  validating: defineResource<Policy>({
    ...admission,
    resource: "validatingadmissionpolicies",
    kind: "ValidatingAdmissionPolicy",
  }),
  validatingBinding: defineResource<Policy>({
    ...admission,
    resource: "validatingadmissionpolicybindings",
    kind: "ValidatingAdmissionPolicyBinding",
  }),
  mutating: defineResource<Policy>({
    ...admission,
    resource: "mutatingadmissionpolicies",
    kind: "MutatingAdmissionPolicy",
  }),
  mutatingBinding: defineResource<Policy>({
    ...admission,
    resource: "mutatingadmissionpolicybindings",
    kind: "MutatingAdmissionPolicyBinding",
  }),
};

const confirmation = "confirmation.gardener.cloud/deletion";
const confirmedBy = "deletion.gardener.cloud/confirmed-by";
const annotation = (of: string, name: string) => `${of}.metadata.?annotations[?'${name}'].orValue('')`;

function matching(operations: readonly string[]): Record<string, unknown> {
  const shoots = {
    apiGroups: ["core.gardener.cloud"],
    apiVersions: ["v1beta1"],
    operations,
    resources: ["shoots"],
  };
  return { matchConstraints: { resourceRules: [shoots] }, failurePolicy: "Fail" };
}

/** What Gardener says in these words too, so that who reads them in a test reads them in a garden. */
const confirmed = {
  ...matching(["DELETE"]),
  validations: [
    {
      expression: `${annotation("oldObject", confirmation)} == 'true'`,
      message: `annotation "${confirmation}"="true" must be set to confirm the deletion`,
      reason: "Forbidden",
    },
  ],
};

const twoPeople = {
  ...matching(["DELETE"]),
  validations: [
    {
      expression: `${annotation("oldObject", confirmedBy)} != request.userInfo.username`,
      message: "whoever confirmed the deletion may not be the one who asks for it: another subject must",
      reason: "Forbidden",
    },
  ],
};

const shortName = {
  ...matching(["CREATE"]),
  validations: [
    {
      expression: "size(object.metadata.name) + size(object.metadata.namespace) - size('garden-') <= 21",
      message: "the length of the shoot name and the project name must not exceed 21 characters",
      reason: "Invalid",
    },
  ],
};

/** Who has set the confirmation; nobody can put another name there. */
const recordConfirmer = {
  ...matching(["CREATE", "UPDATE"]),
  matchConditions: [
    {
      name: "confirmed-just-now",
      expression: `${annotation("object", confirmation)} == 'true' && (oldObject == null || ${annotation("oldObject", confirmation)} != 'true')`,
    },
  ],
  reinvocationPolicy: "Never",
  mutations: [
    {
      patchType: "ApplyConfiguration",
      applyConfiguration: {
        expression: `Object{metadata: Object.metadata{annotations: {'${confirmedBy}': request.userInfo.username}}}`,
      },
    },
  ],
};

/** Gardener's dual approval takes up to half a minute to hold here: see `untilMutated`. */
export async function installAdmission(client: Client, { dualApproval }: { dualApproval: boolean }): Promise<void> {
  const validating = { confirmed, "short-name": shortName, ...(dualApproval && { "two-people": twoPeople }) };
  for (const [name, spec] of Object.entries(validating)) {
    await client.create(kinds.validating, { metadata: { name }, spec });
    await client.create(kinds.validatingBinding, {
      metadata: { name },
      spec: { policyName: name, validationActions: ["Deny"] },
    });
  }
  if (!dualApproval) return;
  const name = "record-confirmer";
  await client.create(kinds.mutating, { metadata: { name }, spec: recordConfirmer });
  await client.create(kinds.mutatingBinding, { metadata: { name }, spec: { policyName: name } });
  await untilMutated(client);
}

/** A policy that changes objects knows of new kinds only every 30 s, and until then refuses every write of one. */
async function untilMutated(client: Client): Promise<void> {
  const shoot = sampleShoot("default", "probe");
  const metadata = { ...shoot.metadata, annotations: { [confirmation]: "true" } };
  const isMutated = async () => {
    try {
      const probed = await client.create(Shoots, { ...shoot, metadata }, { dryRun: true });
      return probed.metadata.annotations?.[confirmedBy] !== undefined;
    } catch {
      return false;
    }
  };
  while (!(await isMutated())) await delay(200);
}
