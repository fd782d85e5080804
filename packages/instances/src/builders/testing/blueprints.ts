/** Blueprints for tests: one small container by default, and whatever a test adds to it. */
import { apiVersionOf, defineResource } from "@berg/apimachinery";
import type { ChallengeContainer, ChallengePort } from "@berg/resources";
import { stringify } from "yaml";
import type { BuildSettings } from "../../settings/settings.ts";
import type { Blueprint, Child, RouteTypes } from "../blueprint.ts";

export const ownerId = "7d9f6a52-54c1-4f0e-8a53-0e6b3a1c9d20";

export const buildSettings: BuildSettings = {
  domain: "challenges.example.com",
  gateway: {
    name: "berg-gateway",
    namespace: "berg",
    httpListener: "http",
    tlsListener: "tls",
    httpPort: 80,
    httpTls: false,
    tlsPort: 443,
    peer: { from: "ingress" },
  },
  network: { policy: "kubernetes", denyCidrs: ["10.0.0.0/8"] },
  resources: {
    limits: { cpu: "1", memory: "512Mi", "ephemeral-storage": "1Gi" },
    requests: { cpu: "100m", memory: "128Mi", "ephemeral-storage": "128Mi" },
  },
  bandwidth: { egress: "10M", ingress: "10M" },
  imagePullPolicy: "IfNotPresent",
  runtimeClassName: "",
  pullSecretName: "",
  headlessService: false,
  flagStorage: "ConfigMap",
  architecture: "x86-64",
  disruption: "protect",
};

interface Wishes {
  containers?: ChallengeContainer[];
  challengeName?: string;
  settings?: Partial<BuildSettings>;
}

export function blueprintOf({ containers, challengeName, settings }: Wishes = {}): Blueprint {
  return {
    instance: {
      uid: "2f1c7b7e-94f4-4c59-8d0e-51b7a0c6f3aa",
      instanceId: "0191e7a4-5f0c-7b3e-9d2a-4c6f8e1b2a3d",
      ownerId,
      flag: "flag{cookies}",
      restarts: 0,
    },
    challenge: { name: challengeName ?? "cookie-jar", namespace: "berg" },
    workload: { containers: containers ?? [containerOf("web", [{ port: 80 }])], allowOutboundTraffic: false },
    settings: { ...buildSettings, ...settings },
  };
}

export function containerOf(
  hostname: string,
  ports: Partial<ChallengePort>[] = [],
  rest: Partial<ChallengeContainer> = {},
): ChallengeContainer {
  return {
    hostname,
    image: "registry.example.com/cookie-jar:1",
    environment: {},
    additionalCapabilities: [],
    ports: ports.map((port) => ({ port: 80, protocol: "tcp", type: "internalPort", ...port })),
    ...rest,
  };
}

const gatewayApi = { group: "gateway.networking.k8s.io", version: "v1", namespaced: true };

export const routeTypes: RouteTypes = {
  httpRoute: defineResource({ ...gatewayApi, resource: "httproutes", kind: "HTTPRoute" }),
  tlsRoute: defineResource({ ...gatewayApi, resource: "tlsroutes", kind: "TLSRoute" }),
};

/** Every way to reach a port, in one instance. */
export function everyPortType(): ChallengeContainer[] {
  return [
    containerOf("web", [
      { port: 8080, name: "web", type: "publicHttpRoute", appProtocol: "http" },
      { port: 8443, name: "admin-panel", type: "publicTlsRoute" },
      { port: 9000 },
    ]),
    containerOf("game", [
      { port: 1337, name: "game", type: "publicPort", appProtocol: "nc" },
      { port: 1337, name: "game-voice", protocol: "UDP", type: "publicPort" },
      { port: 22, name: "ssh" },
    ]),
    containerOf("worker"),
  ];
}

/** As `kubectl apply` would take them. */
export function asYaml(children: Child[]): string {
  const readable = { aliasDuplicateObjects: false, lineWidth: 0 };
  return children
    .map(({ type, manifest }) => stringify({ apiVersion: apiVersionOf(type), kind: type.kind, ...manifest }, readable))
    .join("---\n");
}
