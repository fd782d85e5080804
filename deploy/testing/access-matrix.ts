/** Everything that an account may do, of a wide field of things that one might ask for: found out by asking the server. */
import { defineResource, type KubeObject } from "@berg/apimachinery";
import type { Client } from "@berg/kube";

interface Review extends KubeObject {
  spec: { resourceAttributes: Record<string, string> };
  status?: { allowed: boolean };
}

const SelfSubjectAccessReviews = defineResource<Review>({
  group: "authorization.k8s.io",
  version: "v1",
  resource: "selfsubjectaccessreviews",
  kind: "SelfSubjectAccessReview",
  namespaced: false,
});

const readAndWrite = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"];
const more = ["bind", "escalate", "impersonate", "approve", "sign", "use"];

const core = [
  ...["secrets", "configmaps", "pods", "pods/exec", "pods/log", "services", "namespaces", "nodes", "nodes/proxy"],
  ...["events", "serviceaccounts", "serviceaccounts/token", "persistentvolumes", "users", "groups"],
];

const usual: Record<string, string[]> = {
  "": core,
  apps: ["deployments", "daemonsets", "statefulsets"],
  batch: ["jobs", "cronjobs"],
  "coordination.k8s.io": ["leases"],
  "rbac.authorization.k8s.io": ["roles", "rolebindings", "clusterroles", "clusterrolebindings"],
  "apiextensions.k8s.io": ["customresourcedefinitions"],
  "admissionregistration.k8s.io": ["validatingadmissionpolicies", "validatingadmissionpolicybindings"],
  "certificates.k8s.io": ["certificatesigningrequests", "certificatesigningrequests/approval"],
  "berg.norelect.ch": ["challengeinstances", "challenges"],
};

/**
 * Such as `["pods: get list", "kube-system secrets: get"]`: what may be done everywhere, and what more in each of the
 * namespaces. What may be done to objects of certain names only does not count.
 */
export async function accessMatrix(
  client: Client,
  namespaces: string[],
  kinds: Record<string, string[]>,
): Promise<string[]> {
  const found: string[] = [];
  for (const [group, resources] of Object.entries({ ...usual, ...kinds })) {
    for (const resource of resources) {
      const everywhere = await allowedVerbs(client, "elsewhere-of-all", group, resource);
      const name = group === "" ? resource : `${resource}.${group}`;
      if (everywhere.length > 0) found.push(`${name}: ${everywhere.join(" ")}`);
      for (const namespace of namespaces) {
        const here = (await allowedVerbs(client, namespace, group, resource)).filter(
          (verb) => !everywhere.includes(verb),
        );
        if (here.length > 0) found.push(`${namespace} ${name}: ${here.join(" ")}`);
      }
    }
  }
  return found;
}

async function allowedVerbs(client: Client, namespace: string, group: string, path: string): Promise<string[]> {
  const [resource = "", subresource = ""] = path.split("/");
  const asked = [...readAndWrite, ...more].map(async (verb) => {
    const resourceAttributes = { namespace, group, resource, subresource, verb };
    const { status } = await client.create(SelfSubjectAccessReviews, {
      metadata: { name: "" },
      spec: { resourceAttributes },
    });
    return status?.allowed ? [verb] : [];
  });
  return (await Promise.all(asked)).flat();
}
