/** What a garden has before anybody asks it for anything: what the clouds offer, a project, and its namespace. */
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

interface TestProject {
  project: string;
  namespace: string;
  /** Whether another than the one who confirmed a deletion must ask for it. */
  dualApproval?: boolean;
}

export async function plant(client: Client, project: TestProject): Promise<void> {
  for (const cloud of ["aws", "azure", "gcp"] as const) await client.create(CloudProfiles, cloudProfileOf(cloud));
  await plantProject(client, project);
}

/** One more. */
export async function plantProject(client: Client, { project, namespace, dualApproval }: TestProject): Promise<void> {
  const labels = { "gardener.cloud/role": "project", "project.gardener.cloud/name": project };
  await client.create(Namespaces, { metadata: { name: namespace, labels } });
  const owner = { apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "admin" };
  const dualApprovalForDeletion = [{ resource: "shoots", selector: {} }];
  const spec = { namespace, owner, ...(dualApproval && { dualApprovalForDeletion }) };
  await client.create(Projects, { metadata: { name: project }, spec });
}
