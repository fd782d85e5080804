/** The kinds around a Shoot: accounts, what a cloud offers, and who owns a namespace. */
import {
  blob,
  fields,
  flag,
  immutable,
  listOf,
  oneOf,
  reference,
  type Schema,
  text,
  textMap,
  texts,
  time,
  whole,
  wholeOrText,
} from "./schema.ts";

const quotas = immutable(listOf(fields(reference)));

export const secretBindingSchema: Schema = fields({
  provider: immutable(fields({ "type!": text })),
  quotas,
  "secretRef!": immutable(fields({ "name!": text, namespace: text })),
});

/** It has no spec. */
export const credentialsBindingSchema: Schema = fields({
  "credentialsRef!": immutable(
    fields({
      ...reference,
      "apiVersion!": text,
      "kind!": oneOf("Secret", "InternalSecret", "WorkloadIdentity"),
      "name!": text,
      "namespace!": text,
    }),
  ),
  "provider!": immutable(fields({ "type!": text })),
  quotas,
});

const version = { "version!": text, classification: text, expirationDate: time, lifecycle: listOf(blob) };

export const cloudProfileSchema: Schema = fields({
  "spec!": fields({
    "kubernetes!": fields({ versions: listOf(fields(version)) }),
    "machineImages!": listOf(
      fields({
        "name!": text,
        "versions!": listOf(
          fields({
            ...version,
            cri: listOf(blob),
            architectures: texts,
            capabilityFlavors: listOf(blob),
            inPlaceUpdates: blob,
            kubeletVersionConstraint: text,
          }),
        ),
        updateStrategy: text,
      }),
    ),
    "machineTypes!": listOf(
      fields({
        "name!": text,
        "cpu!": wholeOrText,
        "gpu!": wholeOrText,
        "memory!": wholeOrText,
        architecture: text,
        usable: flag,
        storage: blob,
        capabilities: blob,
        machineControllerManager: blob,
      }),
    ),
    "regions!": listOf(
      fields({
        "name!": text,
        zones: listOf(fields({ "name!": text, unavailableMachineTypes: texts, unavailableVolumeTypes: texts })),
        labels: textMap,
        accessRestrictions: listOf(fields({ "name!": text })),
      }),
    ),
    "type!": text,
    volumeTypes: listOf(fields({ "name!": text, "class!": text, usable: flag, minSize: wholeOrText })),
    providerConfig: blob,
    seedSelector: blob,
    caBundle: text,
    bastion: blob,
    limits: blob,
    machineCapabilities: listOf(blob),
  }),
  status: blob,
});

export const exposureClassSchema: Schema = fields({
  "handler!": text,
  scheduling: fields({ seedSelector: blob, tolerations: listOf(blob) }),
});

export const projectSchema: Schema = fields({
  spec: fields({
    createdBy: blob,
    description: text,
    owner: blob,
    purpose: text,
    members: listOf(blob),
    namespace: text,
    tolerations: blob,
    dualApprovalForDeletion: listOf(fields({ "resource!": text, "selector!": blob, includeServiceAccounts: flag })),
  }),
  status: fields({
    observedGeneration: whole,
    phase: text,
    lastActivityTimestamp: time,
    staleAutoDeleteTimestamp: time,
    staleSinceTimestamp: time,
  }),
});

export const workloadIdentitySchema: Schema = fields({
  "spec!": fields({
    "audiences!": texts,
    "targetSystem!": fields({ "type!": text, providerConfig: blob }),
  }),
  status: fields({ "sub!": text }),
});
