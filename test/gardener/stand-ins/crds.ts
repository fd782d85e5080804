/** CRDs in the place of the API that Gardener's own server would serve. */
import type { Crd } from "../../foreign-crds/crd-files.ts";
import {
  cloudProfileSchema,
  credentialsBindingSchema,
  exposureClassSchema,
  projectSchema,
  secretBindingSchema,
  workloadIdentitySchema,
} from "./others.ts";
import type { Schema } from "./schema.ts";
import { shootSchema } from "./shoot.ts";

const core = { group: "core.gardener.cloud", version: "v1beta1" };
const security = { group: "security.gardener.cloud", version: "v1alpha1" };

interface StandIn {
  group: string;
  version: string;
  kind: string;
  plural: string;
  clusterScoped?: boolean;
  hasStatus?: boolean;
  schema: Schema;
}

export const standIns: readonly StandIn[] = [
  { ...core, kind: "Shoot", plural: "shoots", hasStatus: true, schema: shootSchema },
  { ...core, kind: "SecretBinding", plural: "secretbindings", schema: secretBindingSchema },
  { ...core, kind: "CloudProfile", plural: "cloudprofiles", clusterScoped: true, schema: cloudProfileSchema },
  { ...core, kind: "ExposureClass", plural: "exposureclasses", clusterScoped: true, schema: exposureClassSchema },
  { ...core, kind: "Project", plural: "projects", clusterScoped: true, hasStatus: true, schema: projectSchema },
  { ...security, kind: "CredentialsBinding", plural: "credentialsbindings", schema: credentialsBindingSchema },
  { ...security, kind: "WorkloadIdentity", plural: "workloadidentities", schema: workloadIdentitySchema },
];

export function crdOf({ group, version, kind, plural, clusterScoped, hasStatus, schema }: StandIn): Crd {
  const served = {
    name: version,
    served: true,
    storage: true,
    schema: { openAPIV3Schema: schema },
    ...(hasStatus && { subresources: { status: {} } }),
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: clusterScoped ? "Cluster" : "Namespaced", names: { kind, plural }, versions: [served] },
  };
}
