/** Makes what escalations.ts is about, as an administrator of the cluster. */
import type { ControlPlane } from "../../../../../../test/control-plane/control-plane.ts";
import { accessNamespace } from "../../../vocabulary.ts";
import { crd, everybody, named, podReader, rbac, roleRef } from "./escalations.ts";

/** Of the user system:kube-controller-manager. Its key was thrown away. */
const signingRequest = `-----BEGIN CERTIFICATE REQUEST-----
MIHkMIGLAgEAMCkxJzAlBgNVBAMMHnN5c3RlbTprdWJlLWNvbnRyb2xsZXItbWFu
YWdlcjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNd2dy7hgW1TMwIO1vpq3Ehc
LsH/Gx6s1h/hagoMKXN2ahaZkrR+oqFrMmpj3n4WQbt4HGwewIS/ePRF4mIUK6qg
ADAKBggqhkjOPQQDAgNIADBFAiEAsRRKbWwebJx46fF/5xWLSHpwm6RElxCXlwiA
/nejYPQCICTCMHAmGMsJ3Cn/pTM317EZm1tBMAlZ7zIxrYT8Gnki
-----END CERTIFICATE REQUEST-----
`;

export async function prepareTarget({ kubectl }: ControlPlane): Promise<void> {
  const list = (items: object[]) => JSON.stringify({ apiVersion: "v1", kind: "List", items });
  const core = (kind: string, namespace: string, name: string, more: object = {}) => ({
    apiVersion: "v1",
    kind,
    metadata: { name, namespace },
    ...more,
  });
  const inRbac = (kind: string, name: string, more: object, namespace?: string) => ({
    apiVersion: `${rbac}/v1`,
    kind,
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    ...more,
  });
  const apply = (items: object[]) => kubectl(["create", "-f", "-"], { input: list(items) });
  await apply([
    {
      apiVersion: "v1",
      kind: "Namespace",
      ...named("web", { labels: { "pod-security.kubernetes.io/enforce": "restricted" } }),
    },
    { apiVersion: "v1", kind: "Namespace", ...named("other") },
    { apiVersion: "v1", kind: "Namespace", ...named(accessNamespace) },
    {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicyBinding",
      ...named("policy"),
      spec: { policyName: "policy", validationActions: ["Deny"] },
    },
    { apiVersion: "v1", kind: "Node", ...named("node") },
    { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", ...crd("things") },
  ]);
  const agent = [{ kind: "ServiceAccount", name: "agent", namespace: "web" }];
  const readers = [{ apiGroup: rbac, kind: "User", name: "reader" }];
  await apply([
    core("ServiceAccount", "web", "agent"),
    core("ServiceAccount", "kube-system", "controller"),
    core("ServiceAccount", accessNamespace, "account"),
    core("Secret", accessNamespace, "anchor"),
    core("Secret", "kube-system", "controller-token"),
    core("ConfigMap", "kube-system", "coredns"),
    core("Pod", "kube-system", "running", {
      spec: { nodeName: "node", serviceAccountName: "controller", containers: [{ name: "a", image: "a" }] },
    }),
    inRbac("ClusterRole", "pod-reader", { rules: [podReader] }),
    inRbac("ClusterRole", "public", { rules: [] }),
    inRbac("Role", "public", { rules: [] }, "web"),
    inRbac("RoleBinding", "public", { roleRef: roleRef("Role", "public"), subjects: everybody }, "web"),
    inRbac("RoleBinding", "waiting", { roleRef: roleRef("Role", "bound-already"), subjects: everybody }, "web"),
    inRbac("RoleBinding", "agent", { roleRef: roleRef("ClusterRole", "pod-reader"), subjects: agent }, "web"),
    inRbac("ClusterRoleBinding", "public", { roleRef: roleRef("ClusterRole", "public"), subjects: everybody }),
    inRbac("ClusterRoleBinding", "readers", { roleRef: roleRef("ClusterRole", "pod-reader"), subjects: readers }),
    inRbac("RoleBinding", "readers", { roleRef: roleRef("ClusterRole", "pod-reader"), subjects: readers }, "web"),
    {
      apiVersion: "certificates.k8s.io/v1",
      kind: "CertificateSigningRequest",
      ...named("pending"),
      spec: {
        request: Buffer.from(signingRequest).toString("base64"),
        signerName: "kubernetes.io/kube-apiserver-client",
        usages: ["client auth"],
      },
    },
  ]);
}
