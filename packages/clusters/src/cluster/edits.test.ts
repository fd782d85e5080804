/**
 * What becomes of an edit of each field on a cluster that is there: it is applied, refused by the API server, or a
 * condition says why nothing comes of it. A new field fails here until somebody has decided.
 */
import { isInvalid, type Stored } from "@berg/apimachinery";
import {
  type Cluster,
  type ClusterSpec,
  type ClusterStatus,
  Clusters,
  type CustomResourceDefinition,
  clusterResourceDefinitions,
} from "@berg/resources";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { annotations } from "../vocabulary.ts";
import { authenticationOf } from "./oidc/authentication.ts";
import { decide } from "./phases/decide.ts";
import type { Seen } from "./seen.ts";
import { renderShoot } from "./shoot/render.ts";
import type { Decision } from "./step.ts";
import { account, makeShoot, someInfrastructure, wantedOf } from "./testing/make-objects.ts";
import { done, look, zones as offered, time } from "./testing/make-seen.ts";
import { namespace, startWorld, type World } from "./testing/world.ts";

/** `stays`: what is left out is nobody's wish, and the cluster remains as it is. */
type Fate = "applied" | "refused" | "told" | "stays";

/** The value, where undefined takes the field away; and what has to change with it. */
type Edit = [fate: Fate, value: unknown, also?: Record<string, unknown>];

const unnamed = { "infrastructure.zones": undefined };
const three = { "infrastructure.numberOfZones": 3 };
const standsIn = offered.slice(0, 2);

const decided: Record<string, Edit[]> = {
  core: [["refused", undefined]],
  "core.purpose": [["applied", "testing"]],
  "core.region": [["refused", "us-east-1"]],
  "core.shootName": [
    ["refused", "other"],
    ["refused", undefined],
  ],
  "core.kubernetesVersion": [
    ["applied", "1.34"],
    ["told", "1.32"],
    ["stays", undefined],
  ],
  "core.cloudProfile": [
    ["refused", "other"],
    ["refused", undefined],
  ],
  "core.exposureClassName": [
    ["refused", "other"],
    ["refused", undefined],
  ],
  "core.highAvailability": [
    ["refused", "zone"],
    ["refused", undefined],
  ],
  "core.maintenance": [["stays", undefined]],
  "core.maintenance.timeWindow": [["stays", undefined]],
  "core.maintenance.timeWindow.begin": [["applied", "210000+0100"]],
  "core.maintenance.timeWindow.end": [["applied", "233000+0100"]],
  "core.maintenance.autoUpdate": [["stays", undefined]],
  "core.maintenance.autoUpdate.kubernetesVersion": [["applied", false]],
  "core.maintenance.autoUpdate.machineImageVersion": [["applied", false]],
  extensions: [["stays", undefined]],
  "extensions.shootNetworkingFilterDisabled": [
    ["applied", false],
    ["stays", undefined],
  ],
  oidcConfig: [["applied", undefined]],
  "oidcConfig.issuerURL": [
    ["applied", "https://other.example.com"],
    ["told", "http://plain.example.com"],
  ],
  "oidcConfig.clientID": [["applied", "other"]],
  "oidcConfig.usernameClaim": [["applied", "email"]],
  "oidcConfig.usernamePrefix": [
    ["applied", "other:"],
    ["applied", undefined],
  ],
  "oidcConfig.groupsClaim": [
    ["applied", "teams"],
    ["applied", undefined],
  ],
  "oidcConfig.groupsPrefix": [
    ["applied", "other:"],
    ["applied", undefined],
  ],
  "oidcConfig.signingAlgs": [
    ["told", ["ES256"]],
    ["stays", undefined],
  ],
  infrastructure: [["refused", undefined]],
  "infrastructure.provider": [["refused", "gcp"]],
  "infrastructure.machineType": [["applied", "m6i.large"]],
  "infrastructure.autoScalerMin": [["applied", 1]],
  "infrastructure.autoScalerMax": [["applied", 9]],
  "infrastructure.numberOfZones": [
    ["applied", 3, unnamed],
    ["refused", 1, unnamed],
    ["told", 4, unnamed],
  ],
  "infrastructure.zones": [
    ["applied", offered, three],
    ["refused", offered.slice(1)],
    ["told", [...standsIn, "mars"], three],
    ["stays", undefined],
  ],
  "infrastructure.subscriptionSelector": [["refused", "shared"]],
  "infrastructure.platformRegion": [
    ["refused", "cf-eu10"],
    ["refused", undefined],
  ],
  "infrastructure.euAccess": [
    ["refused", false],
    ["refused", undefined],
  ],
  "infrastructure.plan": [
    ["refused", "free"],
    ["refused", undefined],
  ],
  "infrastructure.networking": [],
  "infrastructure.networking.type": [["refused", "cilium"]],
  "infrastructure.networking.nodes": [["refused", "10.1.0.0/16"]],
  "infrastructure.networking.pods": [["refused", "10.2.0.0/16"]],
  "infrastructure.networking.services": [["refused", "10.3.0.0/16"]],
  "infrastructure.volume": [["stays", undefined]],
  "infrastructure.volume.type": [
    ["applied", "io1"],
    ["stays", undefined],
  ],
  "infrastructure.volume.size": [["applied", "100Gi"]],
  "infrastructure.machineImage": [["stays", undefined]],
  "infrastructure.machineImage.name": [["applied", "ubuntu"]],
  "infrastructure.machineImage.version": [
    ["applied", "1600.0.0"],
    ["told", "1500.0.0"],
    ["stays", undefined],
  ],
  byoc: [["refused", undefined]],
  "byoc.kubeconfigSecretRef": [],
  "byoc.kubeconfigSecretRef.name": [["applied", "other"]],
  "byoc.kubeconfigSecretRef.key": [["applied", "config"]],
  administrators: [["applied", ["b@example.com"]]],
  deletionPolicy: [["applied", "Retain"]],
};

const made: ClusterSpec = {
  core: {
    purpose: "production",
    region: "eu-central-1",
    shootName: "finals",
    kubernetesVersion: "1.33.4",
    cloudProfile: "aws",
    exposureClassName: "internet",
    highAvailability: "node",
    maintenance: {
      timeWindow: { begin: "220000+0100", end: "230000+0100" },
      autoUpdate: { kubernetesVersion: true, machineImageVersion: true },
    },
  },
  extensions: { shootNetworkingFilterDisabled: true },
  oidcConfig: {
    issuerURL: "https://issuer.example.com",
    clientID: "berg",
    usernameClaim: "sub",
    usernamePrefix: "oidc:",
    groupsClaim: "groups",
    groupsPrefix: "oidc:",
    signingAlgs: ["RS256"],
  },
  infrastructure: {
    ...someInfrastructure,
    numberOfZones: standsIn.length,
    zones: standsIn,
    volume: { type: "gp3", size: "80Gi" },
    machineImage: { name: "gardenlinux", version: "1592.4.0" },
    platformRegion: "cf-eu11",
    euAccess: true,
    plan: "trial",
  },
  administrators: ["a@example.com"],
  deletionPolicy: "Delete",
};
const brought: ClusterSpec = {
  byoc: { kubeconfigSecretRef: { name: "theirs", key: "kubeconfig" } },
  administrators: [],
  deletionPolicy: "Delete",
};

const ready: ClusterStatus = { phase: "Ready", provisioningCompletedAt: time };
const madeStatus = {
  ...ready,
  zones: standsIn,
  shootRef: { name: "c-abcdefgh", uid: "shoot-uid" },
  administrators: ["a@example.com"],
  conditions: ["OIDCConfigured", "AdministratorsConfigured"].map((type) => ({ type, status: "True" as const })),
};
const server = "https://target.test";

/** As it is left when everything is done that `cluster` asks for. */
function settled(cluster: Stored<Cluster>): Partial<Seen> {
  if (cluster.spec.byoc) {
    const reached = { status: "True", reason: "Reachable", message: "", isFinal: false, generation: 1 } as const;
    return { facts: { reached: { ...reached, server, until: 1 } } };
  }
  const authentication = authenticationOf(cluster.spec.oidcConfig, "c-abcdefgh");
  const wanted = { ...wantedOf(cluster, standsIn), authentication: authentication?.configMapName };
  const shoot = makeShoot(cluster, done, renderShoot(wanted, account));
  const digest = { [annotations.authenticationDigest]: authentication?.digest ?? "" };
  shoot.metadata.annotations = { ...shoot.metadata.annotations, ...digest };
  return { shoot };
}

function edited(spec: ClusterSpec, changes: Record<string, unknown>): ClusterSpec {
  const copy = structuredClone(spec);
  for (const [field, value] of Object.entries(changes)) {
    const path = field.split(".");
    const last = path.pop() as string;
    const parent = path.reduce((at, name) => at[name] as Record<string, unknown>, copy as Record<string, unknown>);
    if (value === undefined) delete parent[last];
    else parent[last] = value;
  }
  return copy;
}

describe("an edit", () => {
  let world: World;
  const clusters = new Map<string, Stored<Cluster>>();
  beforeAll(async () => {
    world = await startWorld();
    for (const [name, spec, status] of [
      ["made", made, madeStatus],
      ["brought", brought, { ...ready, apiServerURL: server }],
    ] as const) {
      const stored = await world.client.create(Clusters, { metadata: { name, namespace }, spec });
      clusters.set(name, await world.client.update(Clusters, { ...stored, status }, { subresource: "status" }));
    }
  });
  afterAll(() => world?.[Symbol.asyncDispose]());

  const edits = Object.entries(decided).flatMap(([field, each]) =>
    each.map(([fate, value, also]) => ({ field, fate, value, also })),
  );

  test.each(edits)("of $field to $value is $fate", async ({ field, fate, value, also }) => {
    const before = clusters.get(field.startsWith("byoc") ? "brought" : "made") as Stored<Cluster>;
    const spec = edited(before.spec, { [field]: value, ...also });
    const answer = await world.client
      .update(Clusters, { ...before, spec }, { dryRun: true })
      .catch((error: unknown) => error as Error);
    if (answer instanceof Error) {
      expect([fate, isInvalid(answer)]).toEqual(["refused", true]);
      return;
    }
    const around = settled(before);
    const goes = field === "deletionPolicy" && { deletionTimestamp: time };
    const of = ({ metadata, ...rest }: Stored<Cluster>, generation: number): Decision =>
      decide(look({ ...rest, metadata: { ...metadata, generation, ...goes } }, around));
    const [unedited, now] = [of(before, 1), of(answer, 2)];
    if (!goes) expect(doing(unedited)).toBe("nothing");
    const isTold = now.status.conditions?.some(({ message }) => message?.includes(field));
    const found = doing(now) === doing(unedited) ? (isTold ? "told" : "stays") : "applied";
    expect(found).toBe(fate);
  });
});

function doing({ step, goesOn }: Decision): string {
  return step?.do ?? (goesOn ? "storing" : "nothing");
}

type Schema = CustomResourceDefinition["spec"]["versions"][number]["schema"]["openAPIV3Schema"];

/** Every field, and what an edit of it can be. */
function* fieldsOf({ properties = {}, required = [] }: Schema, path: string[] = []): Generator<[string, string[]]> {
  for (const [name, field] of Object.entries(properties)) {
    const isOptional = !required.includes(name) && field.default === undefined;
    const ways = [field.properties ? [] : "changed", isOptional ? "taken away" : []].flat();
    yield [[...path, name].join("."), ways];
    yield* fieldsOf(field, [...path, name]);
  }
}

test("of every field it is decided what becomes of an edit", () => {
  const cluster = clusterResourceDefinitions().find(({ spec }) => spec.names.kind === Clusters.kind);
  const spec = cluster?.spec.versions[0]?.schema.openAPIV3Schema.properties?.spec ?? {};
  const ways = Object.entries(decided).map(([field, edits]) => {
    const values = edits.map(([, value]) => (value === undefined ? "taken away" : "changed"));
    return [field, [...new Set(values)].sort()];
  });
  const wanted = [...fieldsOf(spec)];
  expect(wanted.length).toBeGreaterThan(40);
  expect(Object.fromEntries(ways)).toEqual(Object.fromEntries(wanted));
});
