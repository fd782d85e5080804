import { apiVersionOf } from "@berg/apimachinery";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Case } from "./cases/case.ts";
import { ownerId } from "./cases/challenge-instance.ts";
import { cases } from "./cases.ts";
import type { ChallengeInstance } from "./challenge-instance.ts";
import { challengeDefinition } from "./definitions.ts";
import { formatFieldError } from "./field-error.ts";
import { allDefinitions, definitionOf } from "./testing/definition-of.ts";
import { validate, validateChallenge, validateChallengeInstance } from "./validate.ts";

function manifest(kind: string, body: object): unknown {
  const known = allDefinitions.find(({ resource }) => resource.kind === kind);
  const apiVersion = apiVersionOf((known ?? challengeDefinition).resource);
  return JSON.parse(JSON.stringify({ apiVersion, kind, metadata: { name: "case" }, ...body }));
}

function judge({ kind, before, write }: Case) {
  const definition = definitionOf(kind);
  if (!before) return validate(definition, manifest(kind, write));
  const stored = validate(definition, manifest(kind, before));
  expect(stored.errors).toEqual([]);
  return validate(definition, manifest(kind, write), stored.object);
}

describe("validation without a server", () => {
  test.each(cases)("$kind, $name", (given) => {
    const { object, errors } = judge(given);
    expect(errors.map(({ field }) => field)).toEqual(given.wantRefused ?? []);
    if (given.wantStored) expect(object).toMatchObject(given.wantStored);
  });

  test("answers to anything without throwing", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (spec, status) => {
        for (const given of [spec, { spec }, manifest("ChallengeInstance", { spec, status })]) {
          expect(validateChallenge(given).errors.length).toBeGreaterThan(0);
          expect(Array.isArray(validateChallengeInstance(given).errors)).toBe(true);
        }
      }),
    );
  });

  test("finds what it has filled in itself in order", () => {
    for (const given of cases.filter(({ wantRefused = [], before }) => wantRefused.length === 0 && !before)) {
      const { object } = judge(given);
      expect(validate(definitionOf(given.kind), object)).toEqual({ object, errors: [] });
    }
  });

  test("no two cases have the same name", () => {
    const names = cases.map(({ kind, name }) => `${kind} ${name}`);
    expect(names.length).toBe(new Set(names).size);
  });
});

describe("the text of a refusal", () => {
  const instance = (spec: object) =>
    manifest("ChallengeInstance", { spec: { challengeRef: { name: "web" }, ownerId, ...spec } });
  const container = (fields: object) =>
    manifest("Challenge", { spec: { containers: [{ hostname: "web", image: "web:1", ...fields }] } });

  const competition = (spec: object) => manifest("Competition", { spec });
  const page = (spec: object) => manifest("Page", { spec: { path: "/rules", title: "Rules", ...spec } });

  const network = (spec: object) => manifest("ContainerNetwork", { spec });
  const tunnels = (...given: object[]) =>
    manifest("ContainerNetworkTunnelProxy", { spec: { containerNetworkName: "net", tunnels: given } });

  const purposes = "evaluation, testing, development, production, infrastructure";
  const infrastructure = {
    ...{ provider: "aws", machineType: "m5.large", subscriptionSelector: "shared" },
    ...{ autoScalerMin: 1, autoScalerMax: 5, numberOfZones: 1 },
  };
  const cluster = (core: object, changes: object = {}) =>
    manifest("Cluster", {
      spec: { core: { region: "eu", ...core }, infrastructure: { ...infrastructure, ...changes } },
    });

  const texts: [unknown, string][] = [
    [
      instance({ ownerId: "X" }),
      'spec.ownerId: Invalid value: "X": must be a UUID in lower case, such as 0191e7a4-5f0c-7b3e-9d2a-4c6f8e1b2a3d',
    ],
    [instance({ ownerId: undefined }), "spec.ownerId: Required value"],
    [instance({ ownerId: 7 }), 'spec.ownerId: Invalid value: "integer": must be of type string'],
    [instance({ challengeRef: undefined }), "spec.challengeRef: Required value"],
    [
      instance({ terminationReason: "Bored" }),
      'spec.terminationReason: Unsupported value: "Bored": supported values: "UserRequest", "Timeout", "AdminTermination", "Failure"',
    ],
    [instance({ renewals: -1 }), "spec.renewals: Invalid value: -1: must be 0 or more"],
    [instance({ flag: "f".repeat(1025) }), "spec.flag: Too long: may not be more than 1024 characters"],
    [instance({ flags: 1 }), "spec.flags: Forbidden: there is no such field"],
    [container({ image: "" }), "spec.containers[0].image: Required value: must not be empty"],
    [
      container({ ports: [{ port: 70000 }] }),
      "spec.containers[0].ports[0].port: Invalid value: 70000: must be 65535 or less",
    ],
    [container({ ports: [{}, {}] }), 'spec.containers[0].ports[1]: Duplicate value: {"port":80,"protocol":"tcp"}'],
    [
      container({ dynamicFlag: {} }),
      "spec.containers[0].dynamicFlag: Invalid value: exactly one of env, content and executable must be set",
    ],
    [
      container({ dynamicFlag: { content: { path: "/f", mode: true } } }),
      'spec.containers[0].dynamicFlag.content.mode: Invalid value: "boolean": must be of type string or number',
    ],
    [
      container({ dynamicFlag: { content: { path: "/f", mode: "0999" } } }),
      'spec.containers[0].dynamicFlag.content.mode: Invalid value: "0999": must be up to three octal digits, such as 0444',
    ],
    [
      container({ environment: { A: {} } }),
      'spec.containers[0].environment.A: Invalid value: "object": must be of type string or number or boolean',
    ],
    [manifest("Pod", { spec: {} }), 'kind: Unsupported value: "Pod": supported values: "Challenge"'],
    [
      manifest("Challenge", { spec: {}, metadata: {} }),
      "metadata.name: Invalid value: name or generateName is required",
    ],
    [
      manifest("Challenge", { spec: {}, metadata: { name: "Web" } }),
      "metadata.name: Invalid value: \"Web\": must be lower-case letters, digits, '-' and '.', starting and ending with a letter or digit",
    ],
    [
      network({ mode: "existing" }),
      "spec.networkName: Invalid value: networkName is required, except with the mode session",
    ],
    [
      network({ networkName: "/" }),
      "spec.networkName: Invalid value: \"/\": must be letters, digits, '-', '_' and '.', starting with a letter or digit",
    ],
    [
      tunnels({ name: "a_b", serverPort: 80 }),
      "spec.tunnels[0].name: Invalid value: \"a_b\": must be lower-case letters, digits and '-', starting with a letter and not ending with '-'",
    ],
    [tunnels({ name: "a" }), "spec.tunnels[0].serverPort: Required value"],
    [
      tunnels({ name: "a", serverPort: 80 }, { name: "a", serverPort: 81 }),
      "spec.tunnels: Invalid value: no two tunnels can have the same name",
    ],
    [
      tunnels({ name: "a", serverPort: 80, clientProxyPort: 1 }, { name: "b", serverPort: 80, clientProxyPort: 1 }),
      "spec.tunnels: Invalid value: no two tunnels can have the same clientProxyPort at the same clientProxyAddress",
    ],
    [cluster({ purpose: "prod" }), `spec.core.purpose: Invalid value: purpose must be one of ${purposes}`],
    [
      cluster({}, { subscriptionSelector: "tenant:a" }),
      "spec.infrastructure.subscriptionSelector: Invalid value: \"tenant:a\": must be shared, globalaccount:<id> or <id>, where the id is up to 63 letters, digits, '-', '_' and '.', starting and ending with a letter or digit",
    ],
    [
      cluster({}, { provider: "openstack" }),
      'spec.infrastructure.provider: Unsupported value: "openstack": supported values: "aws", "azure", "gcp"',
    ],
    [
      cluster({}, { numberOfZones: 6 }),
      "spec.infrastructure.autoScalerMax: Invalid value: autoScalerMax cannot be less than numberOfZones",
    ],
    [manifest("Cluster", { spec: {} }), "spec: Invalid value: exactly one of infrastructure and byoc must be set"],
    [
      manifest("KubeconfigRequest", { spec: { cluster: "a" } }),
      "spec: Invalid value: at least one of clusterRole and role must be set",
    ],
    [
      manifest("KubeconfigRequest", { spec: { cluster: "a", clusterRole: { rules: [] }, expiration: 60 } }),
      "spec.expiration: Invalid value: 60: must be 600 or more",
    ],
    [
      competition({ start: "2026-10-02T18:00:00Z", end: "2026-10-01T18:00:00Z" }),
      "spec.end: Invalid value: end must be after start",
    ],
    [
      competition({ registration: { mode: "code" } }),
      "spec.registration.codeSecretRef: Invalid value: codeSecretRef is required with the mode code: name the Secret that holds the code",
    ],
    [
      competition({ scoring: { maximum: 50 } }),
      "spec.scoring.minimum: Invalid value: minimum cannot be more than maximum; where they are left out, they are 100 and 500",
    ],
    [
      competition({ logoUrl: "logo.svg" }),
      'spec.logoUrl: Invalid value: "logo.svg": must be a URL that begins with https:// or http://, without spaces and quotes',
    ],
    [
      competition({ playerAttributes: [{ name: "country", values: [] }] }),
      "spec.playerAttributes[0].values: Too few: must have at least 1 item",
    ],
    [
      page({ path: "/the rules" }),
      "spec.path: Invalid value: \"/the rules\": must be a path such as /rules or /help/faq: letters, digits, '.', '_', '~' and '-' between single slashes",
    ],
    [
      page({ path: "/api/rules" }),
      "spec.path: Invalid value: path cannot begin with /api or /assets, which the website uses itself: choose another first part",
    ],
    [page({ index: 1.5 }), 'spec.index: Invalid value: "number": must be of type integer'],
    [null, "Challenge: Invalid value: must be an object"],
  ];

  test.each(texts)("%#: %j", (given, want) => {
    const kind = (given as { kind?: string } | null)?.kind;
    const wanted = allDefinitions.find(({ resource }) => resource.kind === kind) ?? challengeDefinition;
    const { errors } = validate(wanted, given);
    expect(errors.map(formatFieldError)).toEqual([want]);
  });

  test("names every mistake at once", () => {
    const { errors } = validateChallenge(manifest("Challenge", { spec: { tags: [1], timeout: "x", hideUntil: "y" } }));
    expect(errors.map(({ field }) => field).sort()).toEqual(["spec.hideUntil", "spec.tags[0]", "spec.timeout"]);
  });

  test("never holds a flag or the value of an environment variable", () => {
    const secret = "flag{do-not-tell}";
    const stored = validateChallengeInstance(instance({ flag: secret })).object as ChallengeInstance;
    const refusals = [
      validateChallengeInstance(instance({ flag: secret.repeat(100) })),
      validateChallengeInstance(instance({ flag: `${secret}\0` })),
      validateChallengeInstance(instance({ flag: [secret] })),
      validateChallengeInstance(instance({ flag: `${secret}!` }), stored),
      validateChallengeInstance(instance({}), stored),
      validateChallenge(container({ environment: { SECRET: [secret] } })),
      validateChallenge(container({ environment: { SECRET: secret.repeat(10_000) } })),
      validateChallenge(container({ environment: secret })),
    ];
    for (const { errors } of refusals) {
      expect(errors.length).toBeGreaterThan(0);
      expect(JSON.stringify(errors)).not.toContain("do-not-tell");
    }
  });
});
