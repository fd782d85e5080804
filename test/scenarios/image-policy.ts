/** A rule of the organiser's, so that the server itself refuses what the controller, or Kubernetes, makes. */
import { defineResource, isForbidden, isInvalid, type KubeObject } from "@berg/apimachinery";
import { type Client, Deployments, Pods } from "@berg/kube";
import { eventually } from "../runtime/eventually.ts";

/** Where images come from that are refused: of what, and with 422 (invalid) or 403 (forbidden). */
export type RefusedHost =
  | "deployments.invalid.example.com"
  | "deployments.forbidden.example.com"
  | "pods.forbidden.example.com";

const message = "images from there are not for this cluster";

const admission = (resource: string, kind: string) =>
  defineResource<KubeObject & { spec: object }>({
    group: "admissionregistration.k8s.io",
    version: "v1",
    resource,
    kind,
    namespaced: false,
  });
const Policies = admission("validatingadmissionpolicies", "ValidatingAdmissionPolicy");
const Bindings = admission("validatingadmissionpolicybindings", "ValidatingAdmissionPolicyBinding");

export async function refuseImages(client: Client, name: RefusedHost): Promise<void> {
  const [resource, code] = name.split(".") as ["deployments" | "pods", "invalid" | "forbidden"];
  const reason = code === "invalid" ? "Invalid" : "Forbidden";
  const containers = resource === "pods" ? "object.spec.containers" : "object.spec.template.spec.containers";
  const apiGroups = [resource === "pods" ? "" : "apps"];
  await client.create(Policies, {
    metadata: { name },
    spec: {
      failurePolicy: "Fail",
      matchConstraints: {
        resourceRules: [{ apiGroups, apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources: [resource] }],
      },
      validations: [{ expression: `${containers}.all(each, !each.image.startsWith("${name}/"))`, message, reason }],
    },
  });
  const spec = { policyName: name, validationActions: ["Deny"] };
  await client.create(Bindings, { metadata: { name }, spec });
  await eventually(`the policy ${name} is in force`, () => isRefused(client, resource, `${name}/web:1`));
}

export async function allowImages(client: Client, name: RefusedHost): Promise<void> {
  await client.delete(Bindings, "", name);
}

function isRefused(client: Client, resource: "deployments" | "pods", image: string): Promise<boolean> {
  const pod = { containers: [{ name: "web", image }] };
  const labels = { app: "try" };
  const metadata = { namespace: "default", name: "try" };
  const deployment = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod } };
  const tried =
    resource === "pods"
      ? client.create(Pods, { metadata, spec: pod }, { dryRun: true })
      : client.create(Deployments, { metadata, spec: deployment }, { dryRun: true });
  return tried.then(
    () => false,
    (error) => isInvalid(error) || (isForbidden(error) && error.message.includes(message)),
  );
}
