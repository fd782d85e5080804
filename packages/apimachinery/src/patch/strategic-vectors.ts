/** Strategic merge patches and what Kubernetes 1.36 makes of them: each line was run through its own implementation. */
export interface StrategicVector {
  name: string;
  group: string;
  kind: string;
  original: object;
  patch: object;
  want: object;
}

const pod = { group: "", kind: "Pod" };
const deployment = { group: "apps", kind: "Deployment" };

const containers = (...list: object[]) => ({ spec: { containers: list } });
const finalizers = (...list: string[]) => ({ metadata: { finalizers: list } });

export const strategicVectors: StrategicVector[] = [
  {
    name: "merges containers by name, new ones before those it leaves alone",
    ...pod,
    original: containers({ name: "a", image: "a:1" }, { name: "b", image: "b:1", tty: true }),
    patch: containers({ name: "c", image: "c:1" }, { name: "b", image: "b:2" }),
    want: containers({ name: "c", image: "c:1" }, { name: "a", image: "a:1" }, { name: "b", image: "b:2", tty: true }),
  },
  {
    name: "deletes an element",
    ...pod,
    original: containers({ name: "a" }, { name: "b" }),
    patch: containers({ name: "a", $patch: "delete" }),
    want: containers({ name: "b" }),
  },
  {
    name: "replaces a list that would be merged",
    ...pod,
    original: containers({ name: "a", image: "a:1" }, { name: "b" }),
    patch: containers({ $patch: "replace" }, { name: "a" }),
    want: containers({ name: "a" }),
  },
  {
    name: "orders elements as asked, and puts those it does not know where they stood",
    ...pod,
    original: containers({ name: "a" }, { name: "sidecar" }, { name: "b" }, { name: "c" }),
    patch: {
      spec: {
        "$setElementOrder/containers": [{ name: "c" }, { name: "b" }, { name: "new" }],
        containers: [{ name: "b", image: "b:2" }, { name: "new" }],
      },
    },
    want: containers({ name: "a" }, { name: "sidecar" }, { name: "c" }, { name: "b", image: "b:2" }, { name: "new" }),
  },
  {
    name: "only orders",
    ...pod,
    original: containers({ name: "a" }, { name: "b" }),
    patch: { spec: { "$setElementOrder/containers": [{ name: "b" }, { name: "a" }] } },
    want: containers({ name: "b" }, { name: "a" }),
  },
  {
    name: "orders a list that was not there",
    ...pod,
    original: { spec: {} },
    patch: { spec: { "$setElementOrder/containers": [{ name: "b" }, { name: "a" }], containers: [{ name: "b" }] } },
    want: containers({ name: "b" }),
  },
  {
    name: "merges lists inside of elements, ports by number and mounts by path",
    ...pod,
    original: containers({
      name: "a",
      ports: [{ containerPort: 80, protocol: "TCP" }],
      volumeMounts: [{ mountPath: "/data", name: "v" }],
      env: [{ name: "A", value: "1" }],
    }),
    patch: containers({
      name: "a",
      ports: [{ containerPort: 80, name: "http" }, { containerPort: 81 }],
      volumeMounts: [{ mountPath: "/data", readOnly: true }],
      env: [{ name: "A", value: null, valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
    }),
    want: containers({
      name: "a",
      ports: [{ containerPort: 80, protocol: "TCP", name: "http" }, { containerPort: 81 }],
      volumeMounts: [{ mountPath: "/data", name: "v", readOnly: true }],
      env: [{ name: "A", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
    }),
  },
  {
    name: "replaces lists that are not merged: tolerations, args",
    ...pod,
    original: { spec: { tolerations: [{ key: "a" }], containers: [{ name: "a", args: ["x", "y"] }] } },
    patch: { spec: { tolerations: [{ key: "b" }], containers: [{ name: "a", args: ["z"] }] } },
    want: { spec: { tolerations: [{ key: "b" }], containers: [{ name: "a", args: ["z"] }] } },
  },
  {
    name: "adds finalizers as to a set",
    ...pod,
    original: finalizers("a", "b"),
    patch: finalizers("c", "a"),
    want: finalizers("c", "a", "b"),
  },
  {
    name: "takes finalizers away by name",
    ...pod,
    original: finalizers("a", "b", "c"),
    patch: { metadata: { "$deleteFromPrimitiveList/finalizers": ["b", "x"] } },
    want: finalizers("a", "c"),
  },
  {
    name: "adds, removes and orders finalizers at once",
    ...pod,
    original: finalizers("a", "b", "theirs"),
    patch: {
      metadata: {
        finalizers: ["c"],
        "$deleteFromPrimitiveList/finalizers": ["a"],
        "$setElementOrder/finalizers": ["c", "b"],
      },
    },
    want: finalizers("c", "b", "theirs"),
  },
  {
    name: "takes values away even from a list that is not merged",
    ...pod,
    original: containers({ name: "a", args: ["x", "y"] }),
    patch: containers({ name: "a", "$deleteFromPrimitiveList/args": ["x"] }),
    want: containers({ name: "a", args: ["y"] }),
  },
  {
    name: "keeps only the retained keys of a volume, so that it changes its source",
    ...pod,
    original: { spec: { volumes: [{ name: "v", emptyDir: {} }] } },
    patch: { spec: { volumes: [{ name: "v", hostPath: { path: "/x" }, $retainKeys: ["name", "hostPath"] }] } },
    want: { spec: { volumes: [{ name: "v", hostPath: { path: "/x" } }] } },
  },
  {
    name: "merges a volume without $retainKeys into two sources, as the patch says",
    ...pod,
    original: { spec: { volumes: [{ name: "v", emptyDir: {} }] } },
    patch: { spec: { volumes: [{ name: "v", hostPath: { path: "/x" } }] } },
    want: { spec: { volumes: [{ name: "v", emptyDir: {}, hostPath: { path: "/x" } }] } },
  },
  {
    name: "changes a deployment's strategy",
    ...deployment,
    original: { spec: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } } },
    patch: { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } },
    want: { spec: { strategy: { type: "Recreate" } } },
  },
  {
    name: "reaches into a pod template",
    ...deployment,
    original: { spec: { replicas: 1, template: containers({ name: "a", image: "a:1" }) } },
    patch: { spec: { template: containers({ name: "a", image: "a:2" }) } },
    want: { spec: { replicas: 1, template: containers({ name: "a", image: "a:2" }) } },
  },
  {
    name: "merges labels, and removes one by null",
    ...pod,
    original: { metadata: { labels: { a: "1", b: "2" } } },
    patch: { metadata: { labels: { a: null, c: "3", x: null } } },
    want: { metadata: { labels: { b: "2", c: "3" } } },
  },
  {
    name: "leaves no null behind in what it adds",
    ...pod,
    original: { spec: {} },
    patch: { spec: { securityContext: { runAsUser: null, runAsGroup: 1, seLinuxOptions: { level: null } } } },
    want: { spec: { securityContext: { runAsGroup: 1, seLinuxOptions: {} } } },
  },
  {
    name: "replaces an object where told to",
    ...pod,
    original: { metadata: { labels: { a: "1" }, name: "p" } },
    patch: { metadata: { labels: { $patch: "replace", b: "2" } } },
    want: { metadata: { labels: { b: "2" }, name: "p" } },
  },
  {
    name: "empties an object that is deleted by directive",
    ...pod,
    original: { metadata: { labels: { a: "1" }, name: "p" } },
    patch: { metadata: { labels: { $patch: "delete" } } },
    want: { metadata: { labels: {}, name: "p" } },
  },
  {
    name: "drops a directive where there is nothing to direct",
    ...pod,
    original: { metadata: { name: "p" } },
    patch: {
      metadata: { labels: { $patch: "replace", b: "2" } },
      spec: { containers: [{ name: "a", $patch: "delete" }] },
    },
    want: { metadata: { name: "p" }, spec: { containers: [] } },
  },
  {
    name: "merges conditions by type",
    ...pod,
    original: { status: { conditions: [{ type: "Ready", status: "False", reason: "Slow" }] } },
    patch: {
      status: {
        conditions: [
          { type: "Ready", status: "True" },
          { type: "Done", status: "True" },
        ],
      },
    },
    want: {
      status: {
        conditions: [
          { type: "Ready", status: "True", reason: "Slow" },
          { type: "Done", status: "True" },
        ],
      },
    },
  },
  {
    name: "merges owners by uid",
    ...pod,
    original: { metadata: { ownerReferences: [{ uid: "1", name: "a" }] } },
    patch: {
      metadata: {
        ownerReferences: [
          { uid: "1", $patch: "delete" },
          { uid: "2", name: "b" },
        ],
      },
    },
    want: { metadata: { ownerReferences: [{ uid: "2", name: "b" }] } },
  },
  {
    name: "cannot tell a service's ports of one number apart: it changes the first",
    group: "",
    kind: "Service",
    original: {
      spec: {
        ports: [
          { port: 53, protocol: "UDP" },
          { port: 53, protocol: "TCP" },
        ],
      },
    },
    patch: { spec: { ports: [{ port: 53, name: "dns" }] } },
    want: {
      spec: {
        ports: [
          { port: 53, protocol: "UDP", name: "dns" },
          { port: 53, protocol: "TCP" },
        ],
      },
    },
  },
  {
    name: "keeps such ports together, where the first of them stood",
    group: "",
    kind: "Service",
    original: { spec: { ports: [{ port: 53, protocol: "UDP" }, { port: 80 }, { port: 53, protocol: "TCP" }] } },
    patch: { spec: { ports: [{ port: 80, name: "http" }] } },
    want: {
      spec: {
        ports: [
          { port: 53, protocol: "UDP" },
          { port: 53, protocol: "TCP" },
          { port: 80, name: "http" },
        ],
      },
    },
  },
  {
    name: "merges a node's pod ranges but replaces its taints",
    group: "",
    kind: "Node",
    original: { spec: { podCIDRs: ["10.0.0.0/24"], taints: [{ key: "a" }] } },
    patch: { spec: { podCIDRs: ["fd00::/64"], taints: [{ key: "b" }] } },
    want: { spec: { podCIDRs: ["fd00::/64", "10.0.0.0/24"], taints: [{ key: "b" }] } },
  },
  {
    name: "merges a service account's secrets but replaces its pull secrets",
    group: "",
    kind: "ServiceAccount",
    original: { secrets: [{ name: "a" }], imagePullSecrets: [{ name: "a" }] },
    patch: { secrets: [{ name: "b" }], imagePullSecrets: [{ name: "b" }] },
    want: { secrets: [{ name: "b" }, { name: "a" }], imagePullSecrets: [{ name: "b" }] },
  },
  {
    name: "replaces a disruption budget's selector",
    group: "policy",
    kind: "PodDisruptionBudget",
    original: { spec: { selector: { matchLabels: { a: "1" } } } },
    patch: { spec: { selector: { matchLabels: { b: "2" } } } },
    want: { spec: { selector: { matchLabels: { b: "2" } } } },
  },
];
