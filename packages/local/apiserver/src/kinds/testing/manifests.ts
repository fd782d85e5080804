/**
 * Manifests, good and bad, that are judged by a real API server and by ours, by name. Data, and so longer than other
 * files. Ports and addresses are from the first part of their range, from which none is given out by chance.
 */
import { policyCases } from "../admissionregistration/testing/manifests.ts";

/** One object: as it is created, and then what it is replaced with, one after the other. */
export interface Case {
  /** `services`, or `events.events.k8s.io`. */
  kind: string;
  create: Record<string, unknown>;
  /** Merged into what is stored; null removes. */
  updates?: Record<string, unknown>[];
  /** The same through `status`. */
  status?: Record<string, unknown>[];
}

const service = (spec: Record<string, unknown>, more: Partial<Case> = {}): Case => ({
  kind: "services",
  create: { spec: { ports: [{ port: 80 }], ...spec } },
  ...more,
});
const policy = (spec: Record<string, unknown>): Case => ({
  kind: "networkpolicies.networking.k8s.io",
  create: { spec },
});
const ingress = (spec: Record<string, unknown>, more: Partial<Case> = {}): Case => ({
  kind: "ingresses.networking.k8s.io",
  create: { spec },
  ...more,
});
const path = (path: Record<string, unknown>) => ({ rules: [{ http: { paths: [path] } }] });
const limits = (...items: Record<string, unknown>[]): Case => ({
  kind: "limitranges",
  create: { spec: { limits: items } },
});
const quota = (spec: Record<string, unknown>, more: Partial<Case> = {}): Case => ({
  kind: "resourcequotas",
  create: { spec },
  ...more,
});
const rules = (...list: Record<string, unknown>[]): Case => ({
  kind: "roles.rbac.authorization.k8s.io",
  create: { rules: list },
});
const binding = (body: Record<string, unknown>, more: Partial<Case> = {}): Case => ({
  kind: "rolebindings.rbac.authorization.k8s.io",
  create: body,
  ...more,
});
const about = { namespace: "cases", kind: "Pod", name: "a" };
const newEvent = {
  regarding: about,
  eventTime: "2026-01-01T00:00:00.000000Z",
  reportingController: "example.com/c",
  reportingInstance: "c-1",
  action: "Try",
  reason: "Tried",
  type: "Normal",
};
const base64 = (text: string) => Buffer.from(text).toString("base64");
const mebibyte = "x".repeat(1024 * 1024 + 1);

export const cases: Record<string, Case> = {
  // Namespaces
  "ns-plain": {
    kind: "namespaces",
    create: {},
    updates: [{ metadata: { labels: { a: "b" } }, spec: { finalizers: ["x/y"] } }],
  },
  "ns-finalizers": {
    kind: "namespaces",
    create: { spec: { finalizers: ["example.com/x"] }, status: { phase: "Terminating" } },
  },
  "ns-bad-finalizer": { kind: "namespaces", create: { spec: { finalizers: ["x", "a/b/c"] } } },
  "ns.dots": { kind: "namespaces", create: {} },
  "ns-status": { kind: "namespaces", create: {}, status: [{ status: { phase: "Terminating" } }] },

  // ConfigMaps
  "cm-plain": {
    kind: "configmaps",
    create: { data: { a: "", "b.c": "x" }, binaryData: { d: "eA==" }, immutable: false },
  },
  "cm-empty": { kind: "configmaps", create: { data: {} } },
  "cm-bad-keys": { kind: "configmaps", create: { data: { "a b": "", "..": "", "..x": "" }, binaryData: { "": "" } } },
  "cm-twice": { kind: "configmaps", create: { data: { a: "b" }, binaryData: { a: "eA==" } } },
  "cm-big": { kind: "configmaps", create: { data: { a: mebibyte } } },
  "cm-big-binary": { kind: "configmaps", create: { binaryData: { a: base64(mebibyte) } } },
  "cm-frozen": {
    kind: "configmaps",
    create: { data: { a: "b" }, immutable: true },
    updates: [
      { metadata: { labels: { a: "b" } } },
      { data: { a: "c" } },
      { immutable: null, binaryData: { x: "eA==" } },
      { immutable: false },
    ],
  },

  // Secrets
  "secret-plain": {
    kind: "secrets",
    create: { stringData: { a: "ü" }, data: { a: "eA==", b: "" } },
    updates: [{ type: "other" }, { type: null, stringData: { b: "new" } }],
  },
  "secret-frozen": {
    kind: "secrets",
    create: { data: { a: "eA==" }, immutable: true },
    updates: [{ stringData: { b: "x" } }],
  },
  "secret-keys": { kind: "secrets", create: { stringData: { "a/b": "x" } } },
  "secret-big": { kind: "secrets", create: { data: { a: base64(mebibyte) } } },
  "secret-tls": { kind: "secrets", create: { type: "kubernetes.io/tls" } },
  "secret-tls-half": { kind: "secrets", create: { type: "kubernetes.io/tls", data: { "tls.crt": "" } } },
  "secret-token": { kind: "secrets", create: { type: "kubernetes.io/service-account-token" } },
  "secret-basic": { kind: "secrets", create: { type: "kubernetes.io/basic-auth" } },
  "secret-basic-half": { kind: "secrets", create: { type: "kubernetes.io/basic-auth", data: { username: "" } } },
  "secret-ssh": { kind: "secrets", create: { type: "kubernetes.io/ssh-auth", data: { "ssh-privatekey": "" } } },
  "secret-docker": { kind: "secrets", create: { type: "kubernetes.io/dockercfg" } },
  "secret-docker-list": {
    kind: "secrets",
    create: { type: "kubernetes.io/dockerconfigjson", stringData: { ".dockerconfigjson": "[]" } },
  },
  "secret-docker-empty": {
    kind: "secrets",
    create: { type: "kubernetes.io/dockerconfigjson", stringData: { ".dockerconfigjson": "" } },
  },
  "secret-docker-fine": {
    kind: "secrets",
    create: { type: "kubernetes.io/dockerconfigjson", stringData: { ".dockerconfigjson": "{}" } },
  },

  // Service accounts
  "sa-plain": {
    kind: "serviceaccounts",
    create: {
      metadata: { annotations: { "kubernetes.io/enforce-mountable-secrets": "true" } },
      secrets: [{ name: "a", namespace: "other", kind: "Secret" }],
      imagePullSecrets: [{ name: "b" }],
      automountServiceAccountToken: false,
    },
    updates: [{ imagePullSecrets: [] }],
  },

  // Events
  "event-old": {
    kind: "events",
    create: { involvedObject: about, message: " hello ", count: 3, firstTimestamp: "2026-01-01T01:00:00+01:00" },
  },
  "event-elsewhere": { kind: "events", create: { involvedObject: { namespace: "other" } } },
  "event-nowhere": { kind: "events", create: {} },
  "Event_Odd.Name": { kind: "events", create: { involvedObject: about } },
  "event-timed": { kind: "events", create: { involvedObject: about, eventTime: "2026-01-01T00:00:00.000001Z" } },
  "event-new": {
    kind: "events.events.k8s.io",
    create: newEvent,
    updates: [
      { series: { count: 2, lastObservedTime: "2026-01-01T00:00:01.000000Z" } },
      { series: { count: 1 } },
      { note: "other", reason: "Changed", regarding: { ...about, name: "b" }, reportingController: "example.com/d" },
    ],
  },
  "event-new-bare": { kind: "events.events.k8s.io", create: { regarding: about } },
  "event-new-wrong": {
    kind: "events.events.k8s.io",
    create: {
      ...newEvent,
      type: "Odd",
      reportingController: "a b",
      reportingInstance: "",
      action: "x".repeat(129),
      note: "x".repeat(1025),
      deprecatedCount: 1,
      deprecatedSource: { component: "x" },
      deprecatedFirstTimestamp: "2026-01-01T00:00:00Z",
      series: { count: 1 },
    },
  },

  // Limit ranges
  "limits-bare": limits({ type: "Container" }, { type: "Pod", max: {} }),
  "limits-min": limits({ type: "Container", min: { cpu: 1 } }),
  "limits-none": { kind: "limitranges", create: {} },
  "limits-fine": limits(
    {
      type: "Container",
      max: { cpu: 2 },
      min: { cpu: "0.1" },
      default: { cpu: "1" },
      defaultRequest: { cpu: "500m" },
      maxLimitRequestRatio: { cpu: 20 },
    },
    { type: "Pod", max: { memory: "1.5Gi" } },
    { type: "PersistentVolumeClaim", min: { storage: "1Gi" } },
  ),
  "limits-order": limits({
    type: "Container",
    max: { cpu: 1 },
    min: { cpu: 2 },
    default: { cpu: 3 },
    defaultRequest: { cpu: 4 },
  }),
  "limits-low": limits({ type: "Container", min: { cpu: 2 }, default: { cpu: 1 }, defaultRequest: { cpu: "500m" } }),
  "limits-ratio": limits({
    type: "Container",
    max: { cpu: 2 },
    min: { cpu: 1 },
    maxLimitRequestRatio: { cpu: 3, memory: "0.5" },
  }),
  "limits-names": limits(
    { type: "Container", max: { storage: 1, foo: 1, "a b": 1, "example.com/gpu": 1 } },
    { type: "odd" },
    { type: "odd" },
  ),
  "limits-pod": limits(
    { type: "Pod", default: { cpu: 1 }, defaultRequest: { cpu: 1 } },
    { type: "PersistentVolumeClaim" },
  ),
  "limits-devices": limits({
    type: "Container",
    default: { "example.com/gpu": 2 },
    defaultRequest: { "example.com/gpu": 1 },
  }),

  // Resource quotas
  "quota-fine": quota(
    { hard: { pods: "10", cpu: 1, "requests.memory": "1.5Gi", "limits.memory": "1Gi", "count/jobs.batch": 2 } },
    {
      updates: [{ spec: { scopes: ["BestEffort"] } }],
      status: [
        { status: { hard: { pods: "10", "limits.cpu": 2 }, used: { pods: 3 } } },
        { status: { used: { pods: "-1" } } },
      ],
    },
  ),
  "quota-wrong": quota({ hard: { pods: "1.5", cpu: "-1", storage: 1, foo: 1 } }),
  "quota-scopes": quota({ hard: { pods: 1, services: 1 }, scopes: ["BestEffort", "NotBestEffort", "Odd"] }),
  "quota-selector": quota({
    hard: { pods: 1 },
    scopeSelector: {
      matchExpressions: [
        { scopeName: "BestEffort", operator: "In" },
        { scopeName: "PriorityClass", operator: "Exists", values: ["a"] },
        { scopeName: "Odd", operator: "Odd" },
        { scopeName: "Terminating", operator: "Exists" },
        { scopeName: "NotTerminating", operator: "Exists" },
      ],
    },
  }),
  "quota-selector-fine": quota({
    hard: { pods: 1 },
    scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["a"] }] },
  }),
  "quota-selector-unfit": quota({
    hard: { services: 1 },
    scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "Exists" }] },
  }),

  // Endpoints
  "ep-fine": {
    kind: "endpoints",
    create: {
      subsets: [
        {
          addresses: [{ ip: "10.0.0.1" }, { ip: "2001:DB8::1" }, { ip: "10.0.0.2" }, { ip: "10.0.0.3" }],
          ports: [{ port: 80 }],
        },
      ],
    },
  },
  "ep-wrong": {
    kind: "endpoints",
    create: {
      subsets: [
        {},
        {
          addresses: [{ ip: "127.0.0.1" }, { ip: "169.254.1.1" }, { ip: "0.0.0.0" }, { ip: "224.0.0.1" }, { ip: "x" }],
          notReadyAddresses: [{ ip: "10.0.0.1", hostname: "A", nodeName: "B!" }],
          ports: [{ port: 0 }, { port: 1, name: "A", protocol: "ICMP", appProtocol: "a b" }],
        },
      ],
    },
  },

  // Services
  "svc-plain": service(
    {},
    { updates: [{ spec: { ports: [{ port: 81, targetPort: "web" }] } }, { spec: { clusterIP: "10.96.0.99" } }] },
  ),
  "svc-no-ports": service({ ports: [] }),
  "1svc": service({}),
  "svc.dots": service({}),
  "svc-address": service({ clusterIP: "10.96.0.77" }, { updates: [{ spec: { clusterIP: null, clusterIPs: null } }] }),
  "svc-outside": service({ clusterIP: "11.0.0.1" }),
  "svc-first": service({ clusterIP: "10.96.0.0" }),
  "svc-taken": service({ clusterIP: "10.96.0.77" }),
  "svc-bad-address": service({ clusterIP: "010.96.0.7" }),
  "svc-no-address": service({ clusterIP: "x" }),
  "svc-mismatch": service({ clusterIP: "10.96.0.78", clusterIPs: ["10.96.0.79"] }),
  "svc-plural-only": service({ clusterIPs: ["10.96.0.79"] }),
  "svc-many-addresses": service({ clusterIP: "10.96.0.78", clusterIPs: ["10.96.0.78", "10.96.0.79", "None"] }),
  "svc-headless": service(
    { clusterIP: "None", selector: { a: "b" } },
    { updates: [{ spec: { clusterIP: null, clusterIPs: null, ports: null } }] },
  ),
  "svc-headless-alone": service({ clusterIP: "None", ports: [], sessionAffinity: "ClientIP" }),
  "svc-headless-port": service({ type: "NodePort", clusterIP: "None" }),
  "svc-headless-balanced": service({ type: "LoadBalancer", clusterIP: "None" }),
  "svc-dual": service({ ipFamilyPolicy: "RequireDualStack" }),
  "svc-prefer-dual": service(
    { ipFamilyPolicy: "PreferDualStack" },
    { updates: [{ spec: { ipFamilyPolicy: "SingleStack" } }, { spec: { ipFamilyPolicy: null } }] },
  ),
  "svc-keeps-policy": service({ ipFamilyPolicy: "PreferDualStack" }, { updates: [{ spec: { ipFamilyPolicy: null } }] }),
  "svc-headless-single": service(
    { clusterIP: "None", ports: [] },
    { updates: [{ spec: { ipFamilyPolicy: "SingleStack" } }] },
  ),
  "svc-six": service({ ipFamilies: ["IPv6"] }),
  "svc-two-families": service({ ipFamilies: ["IPv4", "IPv6"] }),
  "svc-odd-families": service({ ipFamilies: ["IPv5", "IPv4", "IPv4"], ipFamilyPolicy: "Odd" }),
  "svc-six-address": service({ clusterIP: "2001:db8::1" }),
  "svc-family-mismatch": service({ clusterIP: "2001:db8::1", ipFamilies: ["IPv4"] }),
  "svc-external-name": service(
    { type: "ExternalName", externalName: "a.example.com.", ports: [] },
    { updates: [{ spec: { type: "ClusterIP", ports: [{ port: 1 }] } }, { spec: { type: "ExternalName" } }] },
  ),
  "svc-external-name-wrong": service({
    type: "ExternalName",
    externalName: "A!",
    clusterIP: "10.96.0.80",
    ipFamilies: ["IPv4"],
    ipFamilyPolicy: "SingleStack",
  }),
  "svc-external-name-none": service({ type: "ExternalName" }),
  "svc-node-port": service(
    {
      type: "NodePort",
      ports: [
        { name: "a", port: 53 },
        { name: "b", port: 53, protocol: "UDP" },
        { name: "c", port: 80, nodePort: 30023 },
      ],
    },
    {
      updates: [
        {
          spec: {
            ports: [
              { name: "c", port: 81 },
              { name: "d", port: 82, nodePort: 30024 },
            ],
          },
        },
        { spec: { type: "LoadBalancer", externalTrafficPolicy: "Local" } },
        { spec: { externalTrafficPolicy: "Cluster" } },
        { spec: { type: "ClusterIP" } },
        { spec: { ports: [{ name: "c", port: 81, nodePort: 30025 }] } },
        { spec: { type: "NodePort", ports: [{ name: "c", port: 81, nodePort: 30026 }] } },
      ],
    },
  ),
  "svc-node-port-moved": service(
    { type: "NodePort", ports: [{ name: "a", port: 80, nodePort: 30032 }] },
    {
      updates: [
        {
          spec: {
            ports: [
              { name: "b", port: 81, nodePort: 30032 },
              { name: "a", port: 80 },
            ],
          },
        },
      ],
    },
  ),
  "svc-node-port-taken": service({ type: "NodePort", ports: [{ port: 80, nodePort: 30026 }] }),
  "svc-node-port-out": service({ type: "NodePort", ports: [{ port: 80, nodePort: 80 }] }),
  "svc-node-port-cluster": service({ ports: [{ port: 80, nodePort: 30030 }] }),
  "svc-node-port-twice": service({
    type: "NodePort",
    ports: [
      { name: "a", port: 80, nodePort: 30031 },
      { name: "b", port: 81, nodePort: 30031 },
    ],
  }),
  "svc-ports-wrong": service({
    ports: [
      { port: 0, name: "A" },
      { port: 80, targetPort: "a--b-", protocol: "ICMP", appProtocol: "a b" },
      { port: 80, name: "x", targetPort: 70000 },
      { port: 80, name: "x" },
    ],
  }),
  "svc-balanced": service(
    {
      type: "LoadBalancer",
      loadBalancerSourceRanges: ["10.0.0.0/8 "],
      loadBalancerClass: "example.com/x",
      allocateLoadBalancerNodePorts: false,
    },
    {
      updates: [{ spec: { loadBalancerClass: "example.com/y" } }],
      status: [
        { status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }, { hostname: "a.example.com" }] } } },
        {
          status: {
            loadBalancer: {
              ingress: [
                { ip: "x" },
                { hostname: "1.2.3.4" },
                { hostname: "A", ipMode: "VIP" },
                { ip: "1.2.3.4", ipMode: "Odd" },
              ],
            },
          },
        },
      ],
    },
  ),
  "svc-balanced-wrong": service({
    type: "LoadBalancer",
    loadBalancerSourceRanges: ["10.0.0.1/8", "x"],
    loadBalancerClass: "a b",
  }),
  "svc-balanced-only": service({
    loadBalancerSourceRanges: ["10.0.0.0/8"],
    loadBalancerClass: "x",
    allocateLoadBalancerNodePorts: true,
    healthCheckNodePort: 30040,
  }),
  "svc-balanced-annotation": {
    kind: "services",
    create: {
      metadata: { annotations: { "service.beta.kubernetes.io/load-balancer-source-ranges": "10.0.0.0/8, x" } },
      spec: { ports: [{ port: 1 }] },
    },
  },
  "svc-health": service(
    { type: "LoadBalancer", externalTrafficPolicy: "Local", healthCheckNodePort: 30041 },
    { updates: [{ spec: { healthCheckNodePort: 30042 } }] },
  ),
  "svc-policies": service({ externalTrafficPolicy: "Local", internalTrafficPolicy: "Odd", trafficDistribution: "Odd" }),
  "svc-policies-fine": service({
    internalTrafficPolicy: "Local",
    trafficDistribution: "PreferClose",
    externalName: "x",
    loadBalancerIP: "1.2.3.4",
  }),
  "svc-external": service({ externalIPs: ["1.2.3.4", "2001:DB8::1"] }, { updates: [{ spec: { externalIPs: [] } }] }),
  "svc-external-wrong": service({ externalIPs: ["127.0.0.1", "01.2.3.4", "::ffff:1.2.3.4", "x"] }),
  "svc-affinity": service({ sessionAffinity: "ClientIP" }, { updates: [{ spec: { sessionAffinity: "None" } }] }),
  "svc-affinity-wrong": service({
    sessionAffinity: "ClientIP",
    sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } },
  }),
  "svc-affinity-odd": service({ sessionAffinity: "Odd", sessionAffinityConfig: {} }),
  "svc-odd-type": service({ type: "Odd" }),
  "svc-selector-wrong": service({ selector: { "a b": "c d" } }),
  "svc-topology": {
    kind: "services",
    create: {
      metadata: {
        annotations: { "service.kubernetes.io/topology-mode": "a", "service.kubernetes.io/topology-aware-hints": "b" },
      },
      spec: { ports: [{ port: 1 }] },
    },
  },

  // Network policies
  "np-none": { kind: "networkpolicies.networking.k8s.io", create: {} },
  "np-fine": policy({
    podSelector: { matchLabels: { a: "b" }, matchExpressions: [{ key: "c", operator: "In", values: ["d", "e"] }] },
    ingress: [
      {
        from: [
          { namespaceSelector: {}, podSelector: {} },
          { ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } },
        ],
        ports: [
          { port: 80, endPort: 90 },
          { port: 443, endPort: 443 },
          { port: "web", protocol: "UDP" },
        ],
      },
    ],
    egress: [{ to: [{ ipBlock: { cidr: "2001:DB8::/32", except: ["2001:db8:1::/48"] } }] }, {}],
  }),
  "np-egress": policy({ egress: [] }),
  "np-wrong": policy({
    podSelector: {
      matchLabels: { "a b": "c" },
      matchExpressions: [
        { key: "a", operator: "In" },
        { key: "b", operator: "Exists", values: ["c d"] },
        { key: "c", operator: "Odd" },
      ],
    },
    ingress: [
      {
        from: [
          {},
          { ipBlock: { cidr: "10.0.0.1/8" }, podSelector: {} },
          { ipBlock: { cidr: "" } },
          { ipBlock: { cidr: "x" } },
          {
            ipBlock: {
              cidr: "10.0.0.0/8",
              except: ["11.0.0.0/16", "10.0.0.0/8", "10.0.0.0/016", "::ffff:10.0.0.0/104", "x"],
            },
          },
        ],
        ports: [
          { port: 0 },
          { port: 90, endPort: 80 },
          { port: "web", endPort: 1 },
          { endPort: 1 },
          { protocol: "ICMP", port: "a b" },
          { port: 1, endPort: 70000 },
        ],
      },
    ],
    policyTypes: ["Odd"],
  }),
  "np-types": policy({ policyTypes: ["Ingress", "Egress", "Ingress"] }),

  // Ingresses
  "ing-none": ingress({}),
  "ing-fine": ingress(
    {
      ingressClassName: "nginx",
      rules: ["a.example.com", "*.example.com", "c.example.com", "d.example.com"].map((host) => ({
        host,
        http: { paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "a", port: { number: 80 } } } }] },
      })),
      tls: [{ hosts: ["a.example.com", "*.b.example.com"], secretName: "a" }],
    },
    {
      status: [
        { status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }, { hostname: "a.example.com" }] } } },
        { status: { loadBalancer: { ingress: [{ ip: "x" }, { hostname: "1.2.3.4" }] } } },
      ],
    },
  ),
  "ing-default": ingress({ defaultBackend: { service: { name: "a", port: { name: "web" } } } }),
  "ing-no-paths": ingress({ rules: [{ http: {} }] }),
  "ing-no-type": ingress(path({ backend: {} })),
  "ing-odd-type": ingress(path({ pathType: "Odd", backend: { service: { name: "", port: { name: "a--b" } } } })),
  "ing-paths": ingress(
    path({
      pathType: "Exact",
      path: "a//b/./c/../d%2f%2F/..",
      backend: { service: { name: "A!", port: { number: 70000 } } },
    }),
  ),
  "ing-free-path": ingress(
    path({ pathType: "ImplementationSpecific", backend: { service: { name: "a", port: { name: "a", number: 1 } } } }),
  ),
  "ing-free-path-wrong": ingress(
    path({ pathType: "ImplementationSpecific", path: "a", backend: { service: { name: "a", port: {} } } }),
  ),
  "ing-resource": ingress(
    path({ pathType: "Prefix", path: "/", backend: { resource: { apiGroup: "A!", kind: "a/b", name: "" } } }),
  ),
  "ing-both": ingress(
    path({
      pathType: "Prefix",
      path: "/.",
      backend: { service: { name: "a", port: { number: 1 } }, resource: { kind: "a", name: "b" } },
    }),
  ),
  "ing-hosts": ingress({
    rules: [{ host: "1.2.3.4" }, { host: "A!" }, { host: "a.*.b" }],
    tls: [{ hosts: ["A!", "*"], secretName: "A!" }],
    ingressClassName: "A!",
  }),
  "ing-annotation": {
    kind: "ingresses.networking.k8s.io",
    create: {
      metadata: { annotations: { "kubernetes.io/ingress.class": "a" } },
      spec: { ingressClassName: "b", rules: [{}] },
    },
  },
  "ing-annotation-alone": {
    kind: "ingresses.networking.k8s.io",
    create: { metadata: { annotations: { "kubernetes.io/ingress.class": "a" } }, spec: { rules: [{}] } },
  },

  // Ingress classes
  "class-fine": {
    kind: "ingressclasses.networking.k8s.io",
    create: {
      metadata: { annotations: { "ingressclass.kubernetes.io/is-default-class": "true" } },
      spec: { controller: "example.com/x", parameters: { apiGroup: "example.com", kind: "K", name: "n" } },
    },
    updates: [{ spec: { controller: "example.com/y" } }],
  },
  "runtime-class": {
    kind: "runtimeclasses.node.k8s.io",
    create: { handler: "runsc", scheduling: { nodeSelector: { sandbox: "yes" } } },
    updates: [{ metadata: { labels: { a: "b" } } }, { handler: "kata" }],
  },
  "priority-class": {
    kind: "priorityclasses.scheduling.k8s.io",
    create: { value: 1000, description: "Ours.", globalDefault: false },
    updates: [
      { description: "", metadata: { labels: { a: "b" } } },
      { value: 2000 },
      { preemptionPolicy: "Never" },
      { preemptionPolicy: null },
    ],
  },
  "priority-class-empty": { kind: "priorityclasses.scheduling.k8s.io", create: {}, updates: [{ globalDefault: true }] },
  "priority-class-low": {
    kind: "priorityclasses.scheduling.k8s.io",
    create: { value: -2147483648, preemptionPolicy: "Never" },
  },
  "priority-class-highest": { kind: "priorityclasses.scheduling.k8s.io", create: { value: 1_000_000_000 } },
  "priority-class-odd": {
    kind: "priorityclasses.scheduling.k8s.io",
    create: { value: 1_000_000_001, preemptionPolicy: "Sometimes" },
  },
  "priority-class-bare": { kind: "priorityclasses.scheduling.k8s.io", create: { preemptionPolicy: "" } },
  "system-priority-class": { kind: "priorityclasses.scheduling.k8s.io", create: { value: 1 } },
  "system-node-critical": { kind: "priorityclasses.scheduling.k8s.io", create: { value: 2_000_000_000 } },
  "system-cluster-critical": {
    kind: "priorityclasses.scheduling.k8s.io",
    create: { value: 2_000_000_000, globalDefault: true },
  },
  "runtime-class-none": { kind: "runtimeclasses.node.k8s.io", create: {} },
  "runtime-class-odd": { kind: "runtimeclasses.node.k8s.io", create: { handler: "Run_C" } },
  "class-none": { kind: "ingressclasses.networking.k8s.io", create: {} },
  "class-wrong": {
    kind: "ingressclasses.networking.k8s.io",
    create: {
      spec: {
        controller: `A!/${"b".repeat(250)} c`,
        parameters: { apiGroup: "A!", kind: "a/b", name: "", scope: "Odd" },
      },
    },
  },
  "class-no-path": {
    kind: "ingressclasses.networking.k8s.io",
    create: { spec: { controller: "example.com", parameters: { kind: "a", name: "b", scope: "Namespace" } } },
  },
  "class-namespace": {
    kind: "ingressclasses.networking.k8s.io",
    create: { spec: { controller: "a/b", parameters: { kind: "a", name: "b", namespace: "c" } } },
  },

  // Leases
  "lease-none": { kind: "leases.coordination.k8s.io", create: {} },
  "lease-fine": {
    kind: "leases.coordination.k8s.io",
    create: {
      spec: {
        holderIdentity: "",
        leaseDurationSeconds: 15,
        leaseTransitions: 0,
        renewTime: "2026-01-01T02:00:00.123456+02:00",
        strategy: "x",
        preferredHolder: "y",
      },
    },
    updates: [{ spec: { holderIdentity: "a", leaseDurationSeconds: 0, leaseTransitions: -1 } }],
  },

  // RBAC
  "role-none": { kind: "roles.rbac.authorization.k8s.io", create: {} },
  "role-empty": rules(),
  "role-bare": rules({}),
  "role-fine": rules({ apiGroups: ["", "apps"], resources: ["pods/log"], verbs: ["get"], resourceNames: ["a"] }),
  "role-urls": rules({ nonResourceURLs: ["/x"], verbs: ["get"], apiGroups: [""] }),
  "system:role": rules({ apiGroups: [""], resources: ["pods"], verbs: [] }),
  "role%name": rules(),
  "cr-fine": {
    kind: "clusterroles.rbac.authorization.k8s.io",
    create: {
      rules: [{ nonResourceURLs: ["/x/*"], verbs: ["get"] }],
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] },
    },
  },
  "cr-wrong": { kind: "clusterroles.rbac.authorization.k8s.io", create: { rules: [], aggregationRule: {} } },
  "cr-selector": {
    kind: "clusterroles.rbac.authorization.k8s.io",
    create: {
      aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: "a", operator: "In", values: [] }] }] },
    },
  },
  "rb-fine": binding(
    {
      subjects: [
        { kind: "User", name: "u" },
        { kind: "Group", name: "g" },
        { kind: "ServiceAccount", name: "s", namespace: "n" },
        { kind: "ServiceAccount", name: "t" },
      ],
      roleRef: { kind: "Role", name: "role-fine" },
    },
    {
      updates: [
        { roleRef: { kind: "ClusterRole", name: "x", apiGroup: "rbac.authorization.k8s.io" } },
        { subjects: null },
      ],
    },
  ),
  "rb-none": binding({}),
  "rb-wrong": binding({
    subjects: [
      { kind: "Odd", name: "" },
      { kind: "User", name: "u", apiGroup: "x" },
      { kind: "ServiceAccount", name: "A!", apiGroup: "x" },
    ],
    roleRef: { apiGroup: "x", kind: "Odd", name: "a/b" },
  }),
  "crb-fine": {
    kind: "clusterrolebindings.rbac.authorization.k8s.io",
    create: { subjects: [{ kind: "Group", name: "g" }], roleRef: { kind: "ClusterRole", name: "view" } },
  },
  "crb-wrong": {
    kind: "clusterrolebindings.rbac.authorization.k8s.io",
    create: { subjects: [{ kind: "ServiceAccount", name: "s" }], roleRef: { kind: "Role", name: "x" } },
  },

  // Storage
  "sc-fine": {
    kind: "storageclasses.storage.k8s.io",
    create: {
      metadata: { annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
      provisioner: "Example.com/x",
      parameters: { a: "b" },
      allowVolumeExpansion: true,
    },
    updates: [
      { reclaimPolicy: "Retain", parameters: { a: "c" }, provisioner: "x", volumeBindingMode: "WaitForFirstConsumer" },
    ],
  },
  "sc-wrong": {
    kind: "storageclasses.storage.k8s.io",
    create: {
      provisioner: "",
      parameters: { "": "x" },
      reclaimPolicy: "Recycle",
      volumeBindingMode: "Odd",
      allowedTopologies: [
        { matchLabelExpressions: [{ key: "a b" }, { key: "a", values: ["b", "b"] }, { key: "a", values: ["b"] }] },
        {},
        {},
      ],
    },
  },
  "capacity-fine": {
    kind: "csistoragecapacities.storage.k8s.io",
    create: { storageClassName: "x", capacity: "1024Mi", nodeTopology: { matchLabels: { a: "b" } } },
    updates: [{ capacity: "2Gi" }, { storageClassName: "y", nodeTopology: null }],
  },
  "capacity-wrong": {
    kind: "csistoragecapacities.storage.k8s.io",
    create: { capacity: "-1", nodeTopology: { matchExpressions: [{ key: "a", operator: "Odd" }] } },
  },

  ...policyCases,
};
