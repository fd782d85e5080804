/** A rule of the organiser's, so that the server itself refuses what the controller makes for some Challenges. */
import { defineResource, isInvalid, type KubeObject } from "@berg/apimachinery";
import { type Client, Deployments } from "@berg/kube";
import { eventually } from "../runtime/eventually.ts";

const name = "refused.example.com";

/** No Deployment with it is taken. */
export const refusedImage = `${name}/web:1`;

const admission = (resource: string, kind: string) =>
  defineResource<KubeObject & { spec: object }>({
    group: "admissionregistration.k8s.io",
    version: "v1",
    resource,
    kind,
    namespaced: false,
  });

export async function refuseTheImage(client: Client): Promise<void> {
  await client.create(admission("validatingadmissionpolicies", "ValidatingAdmissionPolicy"), {
    metadata: { name },
    spec: {
      failurePolicy: "Fail",
      matchConstraints: {
        resourceRules: [
          { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources: ["deployments"] },
        ],
      },
      validations: [
        {
          expression: `object.spec.template.spec.containers.all(each, !each.image.startsWith("${name}/"))`,
          message: "images from there are not for this cluster",
          reason: "Invalid",
        },
      ],
    },
  });
  await client.create(admission("validatingadmissionpolicybindings", "ValidatingAdmissionPolicyBinding"), {
    metadata: { name },
    spec: { policyName: name, validationActions: ["Deny"] },
  });
  await eventually("the server refuses the image", () => isRefused(client));
}

async function isRefused(client: Client): Promise<boolean> {
  const matchLabels = { app: "try" };
  const spec = { containers: [{ name: "web", image: refusedImage }] };
  const manifest = {
    metadata: { namespace: "default", name: "try" },
    spec: { selector: { matchLabels }, template: { metadata: { labels: matchLabels }, spec } },
  };
  return client.create(Deployments, manifest, { dryRun: true }).then(() => false, isInvalid);
}
