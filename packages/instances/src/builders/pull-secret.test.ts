import type { Secret } from "@berg/kube";
import { expect, test } from "vitest";
import { pullSecretCopy } from "./pull-secret.ts";
import { asYaml, blueprintOf } from "./testing/blueprints.ts";

const blueprint = blueprintOf({ settings: { pullSecretName: "registry" } });

test("the copy of the pull secret has its type and data, and nothing else of it", async () => {
  const source: Secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name: "registry",
      namespace: "berg",
      uid: "0c1d2e3f-0000-4000-8000-000000000000",
      resourceVersion: "12",
      labels: { "app.kubernetes.io/managed-by": "Helm", team: "infra" },
      annotations: { "meta.helm.sh/release-name": "berg" },
      ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: "1" }],
      finalizers: ["example.com/held"],
    },
    immutable: true,
    type: "kubernetes.io/dockerconfigjson",
    data: { ".dockerconfigjson": "eyJhdXRocyI6e319" },
  };
  await expect(asYaml([pullSecretCopy(blueprint, source)])).toMatchFileSnapshot("snapshots/pull-secret.yaml");
});

test("an empty pull secret is copied as it is", () => {
  expect(pullSecretCopy(blueprint, { type: "Opaque" }).manifest).not.toHaveProperty("data");
});
