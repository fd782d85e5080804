import { defineResource, type KubeObject, StatusError } from "@berg/apimachinery";
import { type Client, createClient, unlimited } from "@berg/kube";
import {
  type ControlPlane,
  type ForeignCrd,
  installForeignCrds,
  missingControlPlane,
  missingForeignCrds,
  startControlPlane,
} from "@berg/test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AnyObject, ServedResource } from "../registry/resource.ts";
import { fillDefaults } from "../schema/fill-defaults.ts";
import { servedResourcesOf } from "./custom-resource.ts";
import type { DefinitionDraft } from "./definition.ts";
import { definitionStrategy } from "./definition-strategy.ts";

const Crds = defineResource<KubeObject & { spec: unknown }>({
  group: "apiextensions.k8s.io",
  version: "v1",
  resource: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
});

const gateway = (listeners: unknown[], more: object = {}) => ({ gatewayClassName: "x", listeners, ...more });
const http = { name: "web", port: 80, protocol: "HTTP" };
const rule = (more: object) => ({ rules: [{ backendRefs: [{ name: "web", port: 80 }], ...more }] });
const path = (type: string, value: string) => rule({ matches: [{ path: { type, value } }] });
const filters = (...filters: object[]) => rule({ filters });
const redirect = { type: "RequestRedirect", requestRedirect: { port: 80 } };
const rewrite = (type: string, value: object) => ({ type: "URLRewrite", urlRewrite: { path: { type, ...value } } });

const objects: [crd: ForeignCrd, spec: unknown][] = [
  ["gateways", gateway([http])],
  ["gateways", gateway([])],
  ["gateways", gateway([http, { ...http, port: 81 }])],
  ["gateways", gateway([http, { ...http, name: "other" }])],
  ["gateways", gateway([{ ...http, tls: {} }])],
  ["gateways", gateway([{ ...http, protocol: "HTTPS", tls: { mode: "Passthrough" } }])],
  ["gateways", gateway([{ ...http, protocol: "TLS", tls: { mode: "Terminate" } }])],
  ["gateways", gateway([{ ...http, protocol: "TCP", hostname: "a.b" }])],
  [
    "gateways",
    gateway([http], {
      addresses: [
        { type: "IPAddress", value: "1.2.3.4" },
        { type: "IPAddress", value: "1.2.3.4" },
      ],
    }),
  ],
  ["gateways", gateway([http], { addresses: [{ type: "Hostname", value: "A_b" }] })],
  ["gateways", gateway([http], { infrastructure: { labels: { "bad key!": "x" } } })],
  [
    "gateways",
    gateway([
      { ...http, port: 0 },
      { ...http, name: "X", port: "80" },
    ]),
  ],
  ["httproutes", rule({})],
  ["httproutes", {}],
  ["httproutes", path("PathPrefix", "/ok")],
  ["httproutes", path("PathPrefix", "no")],
  ["httproutes", path("PathPrefix", "/a//b/../c#d%2f")],
  ["httproutes", path("Exact", "/a b")],
  ["httproutes", path("RegularExpression", "a//b")],
  ["httproutes", path("Other", "/")],
  ["httproutes", filters(redirect)],
  ["httproutes", filters({ type: "RequestRedirect" })],
  ["httproutes", filters({ ...redirect, type: "URLRewrite" })],
  ["httproutes", filters(rewrite("ReplacePrefixMatch", { replacePrefixMatch: "/x" }))],
  ["httproutes", filters(rewrite("ReplaceFullPath", { replacePrefixMatch: "/x" }))],
  [
    "httproutes",
    filters(
      rewrite("ReplaceFullPath", { replaceFullPath: "/x" }),
      rewrite("ReplaceFullPath", { replaceFullPath: "/x" }),
    ),
  ],
  ["httproutes", rule({ timeouts: { request: "1s", backendRequest: "2s" } })],
  ["httproutes", rule({ timeouts: { request: "0s", backendRequest: "2s" } })],
  ["httproutes", { parentRefs: [{ name: "a" }, { name: "a" }], ...rule({}) }],
  ["httproutes", { parentRefs: [{ name: "a", sectionName: "x" }, { name: "a" }], ...rule({}) }],
  [
    "httproutes",
    {
      parentRefs: [
        { name: "a", sectionName: "x" },
        { name: "a", sectionName: "y" },
      ],
      ...rule({}),
    },
  ],
  ["httproutes", { rules: [{ backendRefs: [{ name: "web" }] }] }],
  ["httproutes", { hostnames: ["1.2.3.4", "*.ok", "Bad"], ...rule({}) }],
  ["tlsroutes", { hostnames: ["a.b"], rules: [{ backendRefs: [{ name: "web", port: 80 }] }] }],
  ["tlsroutes", { hostnames: ["1.2.3.4", "*.", "a*b"], rules: [{ backendRefs: [{ name: "web", port: 80 }] }] }],
  ["referencegrants", { from: [{ group: "x", kind: "Y", namespace: "z" }], to: [{ group: "", kind: "Secret" }] }],
  ["ciliumnetworkpolicies", { endpointSelector: {}, ingress: [{ fromEntities: ["world"] }] }],
  ["ciliumnetworkpolicies", { endpointSelector: {}, egress: [{ toFQDNs: [{ matchName: "bad name!" }] }] }],
  [
    "ciliumnetworkpolicies",
    { endpointSelector: {}, ingress: [{ toPorts: [{ ports: [{ port: "99999", protocol: "X" }] }] }] },
  ],
];

describe.skipIf((await missingControlPlane()) ?? (await missingForeignCrds()))(
  "the CRDs of Gateway API and Cilium",
  () => {
    let controlPlane: ControlPlane;
    let client: Client;
    const resources = new Map<string, ServedResource>();

    beforeAll(async () => {
      controlPlane = await startControlPlane({ controllerManager: false, scheduler: false });
      client = createClient({ connection: controlPlane.connection, rate: unlimited });
      await installForeignCrds(client);
    });

    afterAll(async () => {
      await client?.close();
      await controlPlane?.stop();
    });

    test("are taken as they are", async () => {
      const { items } = await client.list(Crds);
      for (const { apiVersion, kind, metadata, spec } of items) {
        const { name, annotations } = metadata;
        const crd = { apiVersion, kind, metadata: { name, annotations }, spec } as DefinitionDraft;
        definitionStrategy.fillIn?.(crd);
        definitionStrategy.prepare?.(crd, undefined, { now: 0, random: () => 0, newestAll: () => [] });
        expect(definitionStrategy.validate?.(crd, undefined, ""), name).toEqual([]);
        for (const resource of servedResourcesOf(crd)) {
          if (resource.storedVersion === `${resource.group}/${resource.version}`)
            resources.set(resource.resource, resource);
        }
      }
      expect(resources.size).toBe(6);
    });

    test.each(objects)("%s with %j is judged alike", async (name, spec) => {
      const resource = resources.get(name) as ServedResource;
      const { group, version, kind, namespaced } = resource;
      const type = defineResource<KubeObject>({ group, version, resource: resource.resource, kind, namespaced });
      const metadata = { name: "one", namespace: "default" };
      const real = await client.create(type, { metadata, spec } as never, { dryRun: true }).then(
        () => [],
        (error) => {
          if (!(error instanceof StatusError) || error.reason !== "Invalid") throw error;
          return error.status.details?.causes ?? [];
        },
      );
      const draft = { apiVersion: `${group}/${version}`, kind, metadata, spec: structuredClone(spec) } as AnyObject;
      fillDefaults(draft, resource.schema);
      const ours = resource.strategy.validate?.(draft, undefined, "") ?? [];
      const sorted = (errors: readonly { field?: string; reason?: string; message?: string }[]) =>
        errors.map(({ field, reason, message }) => `${field}: ${reason}: ${message}`).sort();
      expect(sorted(ours)).toEqual(sorted(real));
    });
  },
);
