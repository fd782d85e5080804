/** What a thief of the controller's token would try in a namespace of its own: `before` is allowed, `after` is not. */

import { ControllerRevisions } from "@berg/kube";
import type { Child } from "../../packages/instances/src/builders/blueprint.ts";
import { endpointEnv } from "../../packages/instances/src/builders/endpoints.ts";
import { namespaceChild } from "../../packages/instances/src/builders/namespace.ts";
import { revisionOf } from "../../packages/instances/src/builders/revision.ts";
import { routes } from "../../packages/instances/src/builders/routes.ts";
import { services } from "../../packages/instances/src/builders/services.ts";
import { blueprintOf, containerOf, routeTypes } from "../../packages/instances/src/builders/testing/blueprints.ts";
import { workloads } from "../../packages/instances/src/builders/workloads.ts";

// biome-ignore lint/suspicious/noExplicitAny: manifests that no builder would make
type Loose = any;

export interface TooMuch {
  before: Child;
  after: Child;
  wantReason: string;
}

const blueprint = blueprintOf({
  containers: [
    containerOf("web", [{ port: 80, type: "publicHttpRoute" }], {
      dynamicFlag: { content: { path: "/flag" } },
      readinessProbe: { httpGet: { port: 80 } },
    }),
  ],
  settings: { disruption: "allow" },
});
const [deployment] = workloads(blueprint, endpointEnv(blueprint)) as [Child];
const [service] = services(blueprint) as [Child];
const [route] = routes(blueprint, routeTypes) as Child[] as [Child];
const namespace = namespaceChild(blueprint);
const revision: Child = inBerg(revisionOf(blueprint.challenge, blueprint.workload, blueprint.settings));

function inBerg(manifest: ReturnType<typeof revisionOf>): Child {
  return {
    type: ControllerRevisions,
    manifest: { ...manifest, metadata: { ...manifest.metadata, namespace: "berg" } },
  };
}

function edited(before: Child, edit: (manifest: Loose) => void, wantReason: string): TooMuch {
  const after = structuredClone(before.manifest) as Loose;
  edit(after);
  return { before, after: { type: before.type, manifest: after }, wantReason };
}

const template = (edit: (template: Loose) => void, wantReason: string) =>
  edited(deployment, ({ spec }) => edit(spec.template), wantReason);
const pod = (fields: object, wantReason: string) => template(({ spec }) => Object.assign(spec, fields), wantReason);
const withoutPodField = (field: string, wantReason: string) => template(({ spec }) => delete spec[field], wantReason);
const container = (fields: object, wantReason: string) =>
  template(({ spec }) => Object.assign(spec.containers[0], fields), wantReason);
const security = (fields: object, wantReason: string) => container({ securityContext: fields }, wantReason);
const volume = (source: object) =>
  template(({ spec }) => spec.volumes.push({ name: "more", ...source }), "mounts only ConfigMaps and Secrets");
const ofService = (fields: object) =>
  edited(service, ({ spec }) => Object.assign(spec, fields), "only Services of type ClusterIP or NodePort");
const withoutSelector = () =>
  edited(service, ({ spec }) => delete spec.selector, "with a selector and without externalIPs");
const parent = (fields: object) =>
  edited(route, ({ spec }) => Object.assign(spec.parentRefs[0], fields), "attaches routes only to Gateways");
const rule = (edit: (rule: Loose) => void) =>
  edited(route, ({ spec }) => edit(spec.rules[0]), "only routes that lead to Services beside them, without filters");
const label = (child: Child, name: string, wantReason: string) =>
  edited(child, ({ metadata }) => Object.assign(metadata.labels, { [name]: "x" }), wantReason);

const privileged = "only containers that are not privileged";
const securityContext = "a securityContext of seccompProfile RuntimeDefault alone";
const probed = "no host probed but the container itself";
const mirror = { type: "RequestMirror", requestMirror: { backendRef: { name: "web", port: 80 } } };

export const tooMuch: Record<string, TooMuch> = {
  "a pod in the node's network": pod({ hostNetwork: true }, "no pods with hostNetwork"),
  "a pod among the node's processes": pod({ hostPID: true }, "no pods with hostPID"),
  "a pod with the node's shared memory": pod({ hostIPC: true }, "no pods with hostIPC"),
  "a pod that asks for the node's users": pod({ hostUsers: true }, "no pods with hostUsers"),
  "a pod past the scheduler": pod({ nodeName: "control-plane-1" }, "no pods with nodeName"),
  "a pod that drives others out": pod({ priorityClassName: "system-node-critical" }, "no pods with priorityClassName"),
  "a pod with an account": pod({ serviceAccountName: "admin" }, "no pods with serviceAccountName"),
  "a pod with devices": pod({ resourceClaims: [{ name: "gpu", resourceClaimName: "gpu" }] }, "resourceClaims"),
  "a pod with containers that are not looked at": pod(
    { initContainers: [{ name: "first", image: "x", securityContext: { privileged: true } }] },
    "no pods with initContainers",
  ),
  "a pod with a token": pod({ automountServiceAccountToken: true }, "automountServiceAccountToken false"),
  "a pod that says nothing of a token": withoutPodField("automountServiceAccountToken", "automountServiceAccountToken"),
  "a pod without seccomp": pod({ securityContext: { seccompProfile: { type: "Unconfined" } } }, securityContext),
  "a pod that says nothing of seccomp": withoutPodField("securityContext", securityContext),
  "a pod with a sysctl": template(
    ({ spec }) => Object.assign(spec.securityContext, { sysctls: [{ name: "kernel.msgmax", value: "1" }] }),
    securityContext,
  ),
  "a pod that its network plug-in puts elsewhere": template(
    ({ metadata }) => Object.assign(metadata.annotations, { "k8s.v1.cni.cncf.io/networks": "default/nodes" }),
    "no pods that are annotated k8s.v1.cni.cncf.io/networks",
  ),

  "a volume of the node": volume({ hostPath: { path: "/" } }),
  "a volume of a server": volume({ nfs: { server: "192.0.2.1", path: "/" } }),
  "a volume of a driver": volume({ csi: { driver: "example.com" } }),
  "a volume with a token": volume({ projected: { sources: [{ serviceAccountToken: { path: "token" } }] } }),
  "a volume that was claimed": volume({ persistentVolumeClaim: { claimName: "data" } }),

  "a privileged container": security({ privileged: true }, privileged),
  "a container without seccomp": security({ seccompProfile: { type: "Unconfined" } }, privileged),
  "a container without AppArmor": security({ appArmorProfile: { type: "Unconfined" } }, privileged),
  "a container with a type of SELinux": security({ seLinuxOptions: { type: "spc_t" } }, privileged),
  "a container that administers the node": security(
    { capabilities: { add: ["NET_ADMIN", "SYS_ADMIN"] } },
    "no containers with the capabilities SYS_ADMIN; an administrator can allow them",
  ),
  "a container that may do everything": security({ capabilities: { add: ["ALL"] } }, "with the capabilities ALL"),
  "a second container beside a good one": template(
    ({ spec }) => spec.containers.push({ name: "more", image: "x", securityContext: { privileged: true } }),
    privileged,
  ),
  "a port of the node": container({ ports: [{ containerPort: 80, hostPort: 80, protocol: "TCP" }] }, "no hostPort"),
  "a readiness probe of another host": container(
    { readinessProbe: { httpGet: { port: 10250, host: "127.0.0.1" } } },
    probed,
  ),
  "a liveness probe of another host": container({ livenessProbe: { tcpSocket: { port: 22, host: "node" } } }, probed),
  "a startup probe": container({ startupProbe: { httpGet: { port: 10250, host: "127.0.0.1" } } }, probed),
  "a hook": container({ lifecycle: { postStart: { httpGet: { port: 10250, host: "127.0.0.1" } } } }, probed),

  "a load balancer": ofService({ type: "LoadBalancer" }),
  "a Service that is another name": ofService({ type: "ExternalName", externalName: "kubernetes.default.svc" }),
  "a Service at an address of others": ofService({ externalIPs: ["192.0.2.1"] }),
  "a Service that selects nothing": withoutSelector(),

  "a route within a mesh": parent({ group: "", kind: "Service", name: "web" }),
  "a route at something else": parent({ group: "example.com", kind: "Gateway" }),
  "a route to another namespace": rule(({ backendRefs }) =>
    Object.assign(backendRefs[0], { namespace: "kube-system" }),
  ),
  "a route to something else": rule(({ backendRefs }) =>
    Object.assign(backendRefs[0], { group: "example.com", kind: "Bucket" }),
  ),
  "a route with a filter": rule((each) => Object.assign(each, { filters: [mirror] })),
  "a route with a filter of its backend": rule(({ backendRefs }) =>
    Object.assign(backendRefs[0], { filters: [mirror] }),
  ),

  "a namespace that others trust": label(namespace, "team", "puts no label team on a namespace"),
  "a namespace that webhooks pass over": label(
    namespace,
    "admission.gatekeeper.sh/ignore",
    "puts no label admission.gatekeeper.sh/ignore",
  ),
  "a revision in the history of others": label(revision, "app", "puts no labels of others on a ControllerRevision"),
};
