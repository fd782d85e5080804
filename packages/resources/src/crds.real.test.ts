import { isDeepStrictEqual } from "node:util";
import { defineResource, isBadRequest, isInvalid, StatusError, type Stored } from "@berg/apimachinery";
import { type Client, createClient, unlimited } from "@berg/kube";
import { type ControlPlane, missingControlPlane, startControlPlane } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Body, type Case, cases, ownerId } from "./cases.ts";
import type { Challenge } from "./challenge.ts";
import type { ChallengeInstance } from "./challenge-instance.ts";
import { type CustomResourceDefinition, customResourceDefinitions } from "./crd.ts";
import { ChallengeInstances, Challenges } from "./definitions.ts";
import { crdFolder } from "./generate.ts";
import { type Odd, oddManifests } from "./odd-manifests.ts";
import { validateChallenge, validateChallengeInstance } from "./validate.ts";
import { fieldManagers } from "./vocabulary.ts";

type Established = CustomResourceDefinition & { status?: { conditions?: { type: string; status: string }[] } };

const CustomResourceDefinitions = defineResource<Established>({
  group: "apiextensions.k8s.io",
  version: "v1",
  resource: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
});

type Ours = Challenge | ChallengeInstance;

describe.skipIf(await missingControlPlane())("the CRDs on a real API server", () => {
  const names = customResourceDefinitions().map(({ metadata }) => metadata.name);
  let controlPlane: ControlPlane;
  let client: Client;
  let counter = 0;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ controllerManager: false, scheduler: false });
    client = createClient({ connection: controlPlane.connection, rate: unlimited });
    await controlPlane.kubectl(["apply", "--server-side", "--filename", crdFolder]);
    await controlPlane.kubectl(["wait", "--for=condition=Established", ...names.map((name) => `crd/${name}`)]);
    for (const kind of ["challenges", "challengeinstances"]) await untilServed(kind);
  });

  afterAll(async () => {
    await client?.close();
    await controlPlane?.stop();
  });

  // Established comes a moment before the first request is served.
  async function untilServed(kind: string) {
    await vi.waitFor(() => controlPlane.kubectl(["get", kind]), { timeout: 30_000, interval: 100 });
  }

  async function write({ kind, before, write }: Case): Promise<Stored<Ours>> {
    const type = kind === "Challenge" ? Challenges : ChallengeInstances;
    const metadata = { name: `case-${++counter}`, namespace: "default" };
    const options = { fieldValidation: "Strict" } as const;
    const create = (body: Body) => client.create<Ours>(type, { metadata, ...body } as never, options);
    if (!before) return create(write);

    let stored = await create(before);
    if (before.status) {
      stored = await client.update<Ours>(type, { ...stored, ...before } as never, {
        ...options,
        subresource: "status",
      });
    }
    const { apiVersion, kind: storedKind, metadata: storedMetadata } = stored;
    return client.update<Ours>(
      type,
      { apiVersion, kind: storedKind, metadata: storedMetadata, ...write } as never,
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

  // Nobody thinks of every odd value: this is how the server was found to take a list for a time.
  test("any value in any field has the same verdict with and without a server", async () => {
    const options = { dryRun: true, fieldValidation: "Strict" } as const;
    const metadata = { name: "odd", namespace: "default" };
    const stored = await client.create(ChallengeInstances, {
      metadata: { ...metadata, name: "swept" },
      spec: { challengeRef: { name: "web" }, ownerId, renewals: 0 },
    });
    const ask = ({ kind, body: { spec, status } }: Odd): Promise<Stored<Ours>> => {
      const type = kind === "Challenge" ? Challenges : ChallengeInstances;
      if (status === undefined) return client.create<Ours>(type, { metadata, spec } as never, options);
      return client.update<Ours>(type, { ...stored, status } as never, { ...options, subresource: "status" });
    };
    const disagreements: string[] = [];
    let accepted = 0;
    let refused = 0;
    for (const odd of oddManifests()) {
      const answer = await ask(odd).catch((error: StatusError) => error);
      const manifest = { apiVersion: stored.apiVersion, kind: odd.kind, metadata, ...odd.body };
      const { object, errors } =
        odd.kind === "Challenge" ? validateChallenge(manifest) : validateChallengeInstance(manifest);
      if (answer instanceof Error) {
        refused++;
        if (errors.length === 0) disagreements.push(`${odd.name}: refused by the server alone: ${answer.message}`);
      } else {
        accepted++;
        if (errors.length > 0) disagreements.push(`${odd.name}: accepted by the server alone`);
        else if (odd.body.status === undefined && !isDeepStrictEqual(answer.spec, object?.spec))
          disagreements.push(`${odd.name}: stored otherwise`);
      }
    }
    expect(disagreements.slice(0, 20)).toEqual([]);
    expect(accepted).toBeGreaterThan(100);
    expect(refused).toBeGreaterThan(1000);
  });

  test("every schema is structural", async () => {
    for (const name of names) {
      const { status } = await client.get(CustomResourceDefinitions, "", name);
      const conditions = Object.fromEntries(status?.conditions?.map(({ type, status }) => [type, status]) ?? []);
      expect(conditions).toEqual({ NamesAccepted: "True", Established: "True" });
    }
  });

  test("two field managers each own their condition", async () => {
    const metadata = { name: "shared", namespace: "default" };
    await client.create(ChallengeInstances, {
      metadata,
      spec: { challengeRef: { name: "web" }, ownerId, renewals: 0 },
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

  test("kubectl shows when an instance expires, and finds the instances of an owner", async () => {
    const metadata = { name: "shown", namespace: "default" };
    const owner = "0191e7a4-5f0c-7b3e-9d2a-4c6f8e1b2fff";
    const expiresAt = "2999-01-01T00:00:00Z";
    await client.create(ChallengeInstances, {
      metadata,
      spec: { challengeRef: { name: "web" }, ownerId: owner, renewals: 0 },
    });
    await client.patch(
      ChallengeInstances,
      "default",
      "shown",
      { type: "merge", body: { status: { phase: "Running", namespace: "challenge-x", expiresAt } } },
      { subresource: "status" },
    );
    const selector = `spec.ownerId=${owner},status.phase=Running`;
    const lines = (await controlPlane.kubectl(["get", "ci", "--field-selector", selector])).trim().split("\n");
    expect(lines.map((line) => line.replace(/\s+/g, " ").trim())).toEqual([
      "NAME CHALLENGE OWNER PHASE NAMESPACE AGE EXPIRES",
      expect.stringMatching(`^shown web ${owner} Running challenge-x \\d+s ${expiresAt}$`),
    ]);
  });

  test("kubectl explains every field", async () => {
    const text = await controlPlane.kubectl(["explain", "challengeinstance.spec.challengeRef"]);
    expect(text).toContain("Namespace of the Challenge.");
    for (const kind of ["challenge", "challengeinstance"]) {
      expect(await controlPlane.kubectl(["explain", kind, "--recursive"])).toContain("spec");
    }
  });
});
