/** What a garden has before anybody asks it for anything: a project, its namespace, and what the clouds offer. */
import { defineResource } from "@berg/apimachinery";
import type { Client } from "@berg/kube";
import { CloudProfiles, Projects } from "./kinds.ts";
import { cloudProfileOf } from "./samples.ts";

const Namespaces = defineResource({
  group: "",
  version: "v1",
  resource: "namespaces",
  kind: "Namespace",
  namespaced: false,
});

export async function plant(
  client: Client,
  { project, namespace, dualApproval }: { project: string; namespace: string; dualApproval: boolean },
): Promise<void> {
  const labels = { "gardener.cloud/role": "project", "project.gardener.cloud/name": project };
  await client.create(Namespaces, { metadata: { name: namespace, labels } });
  for (const cloud of ["aws", "azure", "gcp"] as const) await client.create(CloudProfiles, cloudProfileOf(cloud));
  const owner = { apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "admin" };
  const dualApprovalForDeletion = [{ resource: "shoots", selector: {} }];
  const spec = { namespace, owner, ...(dualApproval && { dualApprovalForDeletion }) };
  await client.create(Projects, { metadata: { name: project }, spec });
}
