/** What our CRDs accept and refuse, put to a server. */
import { isDeepStrictEqual } from "node:util";
import {
  apiVersionOf,
  defineResource,
  isBadRequest,
  isInvalid,
  type KubeObject,
  StatusError,
  type Stored,
} from "@berg/apimachinery";
import { type Client, type Connection, createClient, unlimited } from "@berg/kube";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Body, Case } from "../cases/case.ts";
import { ownerId } from "../cases/challenge-instance.ts";
import { fullClusterSpec } from "../cases/cluster.ts";
import { fullKubeconfigSpec } from "../cases/kubeconfig-request.ts";
import { fullSubscriptionSpec } from "../cases/subscription-request.ts";
import { cases } from "../cases.ts";
import { type CustomResourceDefinition, clusterResourceDefinitions, customResourceDefinitions } from "../crd.ts";
import { ChallengeInstances } from "../definitions.ts";
import { type Odd, oddManifests } from "../odd-manifests.ts";
import { validate } from "../validate.ts";
import { fieldManagers } from "../vocabulary.ts";
import { allDefinitions, definitionOf } from "./definition-of.ts";

type Established = KubeObject & { status?: { conditions?: { type: string; status: string }[] } };

const CustomResourceDefinitions = defineResource<Established>({
  group: "apiextensions.k8s.io",
  version: "v1",
  resource: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
});

type Ours = KubeObject & Body;

export interface Server {
  connection: Connection;
  stop(): Promise<void>;
}

const typeOf = (kind: string) => definitionOf(kind).resource;
const placeOf = (kind: string) => (typeOf(kind).namespaced ? { namespace: "default" } : {});

/** What is started is stopped at the end. `swept`: those of which every field is put to the server, which takes a while. */
export function describeCrds(start: () => Promise<Server>, swept: CustomResourceDefinition[]): void {
  const crds = [...customResourceDefinitions(), ...clusterResourceDefinitions()];
  let server: Server | undefined;
  let client: Client;
  let counter = 0;

  beforeAll(async () => {
    server = await start();
    client = createClient({ connection: server.connection, rate: unlimited });
    for (const crd of crds) await client.create(CustomResourceDefinitions, crd);
    // Established comes a moment before the first request is served.
    for (const { resource } of allDefinitions) {
      await vi.waitFor(() => client.list(resource), { timeout: 60_000, interval: 100 });
    }
  }, 300_000);

  afterAll(async () => {
    await client?.close();
    await server?.stop();
  });

  async function write({ kind, before, write }: Case): Promise<Stored<Ours>> {
    const type = typeOf(kind);
    const metadata = { name: `case-${++counter}`, ...placeOf(kind) };
    const options = { fieldValidation: "Strict" } as const;
    const create = (body: Body) => client.create<Ours>(type, { metadata, ...body }, options);
    if (!before) return create(write);

    let stored = await create(before);
    if (before.status) {
      stored = await client.update<Ours>(type, { ...stored, ...before }, { ...options, subresource: "status" });
    }
    const { apiVersion, kind: storedKind, metadata: storedMetadata } = stored;
    return client.update<Ours>(
      type,
      { apiVersion, kind: storedKind, metadata: storedMetadata, ...write },
      "status" in write ? { ...options, subresource: "status" } : options,
    );
  }

  test.each(cases)("$kind, $name", async (given) => {
    const outcome = await write(given).catch((error: unknown) => error);
    const wantRefused = given.wantRefused ?? [];
    if (wantRefused.length === 0) {
      if (outcome instanceof Error) throw outcome;
      if (given.wantStored) expect(outcome).toMatchObject(given.wantStored);
      return;
    }
    if (!(outcome instanceof StatusError))
      throw new Error(`want a refusal of ${wantRefused}, got ${JSON.stringify(outcome)}`);
    const refused = isBadRequest(outcome) ? unknownFields(outcome) : invalidFields(outcome);
    expect(refused).toEqual(wantRefused);
  });

  // `strict decoding error: unknown field "spec.flags"`
  function unknownFields(error: StatusError): string[] {
    return [...error.message.matchAll(/unknown field "([^"]+)"/g)].map(([, field = ""]) => field);
  }

  // The server may find several faults in one field, and adds causes without a field about what it did not check.
  function invalidFields(error: StatusError): string[] {
    expect(isInvalid(error)).toBe(true);
    const fields = error.status.details?.causes?.map(({ field }) => field ?? "") ?? [];
    return [...new Set(fields)].filter((field) => field !== "" && field !== "<nil>");
  }

  const minimal: Record<string, Body> = {
    ChallengeInstance: { spec: { challengeRef: { name: "web" }, ownerId } },
    ContainerNetwork: { spec: {} },
    ContainerNetworkTunnelProxy: { spec: { containerNetworkName: "net" } },
    Cluster: { spec: fullClusterSpec },
    SubscriptionRequest: { spec: fullSubscriptionSpec },
    KubeconfigRequest: { spec: fullKubeconfigSpec },
  };

  // Nobody thinks of every odd value: this is how the server was found to take a list for a time.
  test("any value in any field has the same verdict with and without a server", { timeout: 300_000 }, async () => {
    const options = { dryRun: true, fieldValidation: "Strict" } as const;
    const stored: Record<string, Stored<Ours>> = {};
    for (const [kind, body] of Object.entries(minimal)) {
      const metadata = { name: "swept", ...placeOf(kind) };
      stored[kind] = await client.create<Ours>(typeOf(kind), { metadata, ...body });
    }
    const ask = ({ kind, body: { spec, status } }: Odd): Promise<Stored<Ours>> => {
      const type = typeOf(kind);
      const metadata = { name: "odd", ...placeOf(kind) };
      if (status === undefined) return client.create<Ours>(type, { metadata, spec }, options);
      const object = { ...stored[kind], status } as Stored<Ours>;
      return client.update<Ours>(type, object, { ...options, subresource: "status" });
    };
    const disagreements: string[] = [];
    let accepted = 0;
    let refused = 0;
    const put = async (odd: Odd) => {
      const answer = await ask(odd).catch((error: StatusError) => error);
      const definition = definitionOf(odd.kind);
      const head = { apiVersion: apiVersionOf(definition.resource), kind: odd.kind, metadata: { name: "odd" } };
      const { object, errors } = validate<Ours>(definition, { ...head, ...odd.body });
      if (answer instanceof Error) {
        refused++;
        if (errors.length === 0) disagreements.push(`${odd.name}: refused by the server alone: ${answer.message}`);
      } else {
        accepted++;
        if (errors.length > 0) disagreements.push(`${odd.name}: accepted by the server alone`);
        else if (odd.body.status === undefined && !isDeepStrictEqual(answer.spec, object?.spec))
          disagreements.push(`${odd.name}: stored otherwise`);
      }
    };
    // Some thousands: one after the other they would mostly wait.
    const odds = oddManifests(swept);
    const askers = Array.from({ length: 8 }, async () => {
      for (const odd of odds) await put(odd);
    });
    await Promise.all(askers);
    expect(disagreements.slice(0, 20)).toEqual([]);
    expect(accepted).toBeGreaterThan(100);
    expect(refused).toBeGreaterThan(1000);
  });

  // `rotate: false` without quotes in YAML.
  test.each(["Cluster", "SubscriptionRequest", "KubeconfigRequest"])(
    "%s, with an annotation that is no text: it is refused, and not stored as something else",
    async (kind) => {
      const metadata = { name: "no-text", ...placeOf(kind), annotations: { "operator.kyma-project.io/rotate": false } };
      const answer = await client
        .create<Ours>(typeOf(kind), { metadata, ...minimal[kind] } as never)
        .catch((error: unknown) => error);
      expect([isBadRequest(answer), String(answer)]).toEqual([true, expect.stringContaining("annotations")]);
      await expect(client.get(typeOf(kind), "default", "no-text")).rejects.toThrow("not found");
    },
  );

  test("every schema is structural", async () => {
    for (const { metadata } of crds) {
      const { status } = await client.get(CustomResourceDefinitions, "", metadata.name);
      const conditions = Object.fromEntries(status?.conditions?.map(({ type, status }) => [type, status]) ?? []);
      expect(conditions).toEqual({ NamesAccepted: "True", Established: "True" });
    }
  });

  test("two field managers each own their condition", async () => {
    const metadata = { name: "shared", namespace: "default" };
    await client.create(ChallengeInstances, {
      metadata,
      spec: { challengeRef: { name: "web" }, ownerId, renewals: 0, restarts: 0 },
    });
    const found = (fieldManager: string, type: string, status: "True" | "False") =>
      client.apply(
        ChallengeInstances,
        { metadata, status: { conditions: [{ type, status }] } },
        { fieldManager, subresource: "status" },
      );
    await found(fieldManagers.controller, "PodsReady", "True");
    await found(fieldManagers.listener, "Stuck", "False");
    const { status } = await found(fieldManagers.controller, "PodsReady", "False");
    expect(status?.conditions).toEqual([
      { type: "PodsReady", status: "False" },
      { type: "Stuck", status: "False" },
    ]);
  });

  test("a tunnel's name that is used twice is refused with a text that names it", async () => {
    const type = typeOf("ContainerNetworkTunnelProxy");
    const tunnels = [80, 81].map((serverPort) => ({ name: "database", serverPort }));
    const made = client.create<Ours>(type, {
      metadata: { name: "twice" },
      spec: { containerNetworkName: "net", tunnels },
    });
    await expect(made).rejects.toThrow(/spec\.tunnels: Invalid value: .*no two tunnels can have the same name/);
    await expect(made).rejects.toThrow("database");
  });
}
