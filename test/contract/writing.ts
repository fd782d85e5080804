import { isAlreadyExists, isBadRequest, isConflict, isNotFound, type Stored } from "@berg/apimachinery";
import { type ConfigMap, ConfigMaps, createClient, type Logger, silentLogger } from "@berg/kube";
import { type ChallengeInstance, ChallengeInstances } from "@berg/resources";
import { expect, test } from "vitest";
import { type Given, Roles, refusal } from "./given.ts";

const spec = {
  challengeRef: { name: "web" },
  ownerId: "0191e7a4-5f0c-7b3e-9d2a-4c6f8e1b2a3d",
  renewals: 0,
  restarts: 0,
};

export function writing(given: Given): void {
  const create = (name: string, data: Record<string, string> = { a: "1" }) =>
    given.client.create(ConfigMaps, { metadata: { namespace: given.namespace, name }, data });
  const createInstance = (name = "web") =>
    given.client.create(ChallengeInstances, { metadata: { namespace: given.namespace, name }, spec });

  test("creates once", async () => {
    const made = await create("one");
    expect(made).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", data: { a: "1" } });
    expect(made.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    const error = await refusal(create("one", { a: "2" }));
    expect(isAlreadyExists(error)).toBe(true);
    expect(isConflict(error)).toBe(false);
  });

  test("the server makes names from a prefix", async () => {
    const { client, namespace } = given;
    const metadata = { namespace, generateName: "made-" };
    const made = await Promise.all([1, 2, 3].map(() => client.create(ConfigMaps, { metadata })));
    for (const { metadata } of made) expect(metadata.name).toMatch(/^made-[a-z0-9]{5}$/);
    expect(new Set(made.map(({ metadata }) => metadata.name)).size).toBe(3);
  });

  test("a name may hold what means something else in a URL", async () => {
    const { client, namespace } = given;
    const name = "berg:ä b?c=d&e#f+g;h";
    const { metadata } = await client.create(Roles, { metadata: { namespace, name } });
    const labelled = { type: "merge", body: { metadata: { labels: { a: "b" } } } } as const;
    expect((await client.patch(Roles, namespace, name, labelled)).metadata).toMatchObject({ name, uid: metadata.uid });
    await client.delete(Roles, namespace, name);
    expect(isNotFound(await refusal(client.get(Roles, namespace, name)))).toBe(true);
  });

  test("of two updates of one version the second is a conflict", async () => {
    const { client } = given;
    const read = await create("contested");
    const first = await client.update(ConfigMaps, { ...read, data: { a: "first" } });
    expect(first.metadata.resourceVersion).not.toBe(read.metadata.resourceVersion);
    expect(isConflict(await refusal(client.update(ConfigMaps, { ...read, data: { a: "second" } })))).toBe(true);
  });

  test("an update that changes nothing writes nothing", async () => {
    const read = await create("settled");
    expect(await given.client.update(ConfigMaps, read)).toEqual(read);
  });

  test("an update without a version, or of what is gone, is refused", async () => {
    const { client, namespace } = given;
    const read = await create("gone");
    const { resourceVersion: _, ...metadata } = read.metadata;
    await expect(client.update<ConfigMap>(ConfigMaps, { ...read, metadata })).rejects.toThrow("no resourceVersion");
    await client.delete(ConfigMaps, namespace, "gone");
    const error = await refusal(client.update(ConfigMaps, read));
    // The UID in the object says which life is meant.
    expect(isNotFound(error) || isConflict(error)).toBe(true);
    await create("gone");
    expect(isConflict(await refusal(client.update(ConfigMaps, read)))).toBe(true);
  });

  test("the status is written apart from the rest", async () => {
    const { client } = given;
    const made = await createInstance();
    const running = (object: Stored<ChallengeInstance>) =>
      ({
        ...object,
        spec: { ...object.spec, renewals: object.spec.renewals + 1 },
        status: { phase: "Running" },
      }) as const;

    const viaObject = await client.update(ChallengeInstances, running(made));
    expect(viaObject.spec.renewals).toBe(1);
    expect(viaObject.status).toBeUndefined();
    const viaStatus = await client.update(ChallengeInstances, running(viaObject), { subresource: "status" });
    expect(viaStatus.spec.renewals).toBe(1);
    expect(viaStatus.status).toEqual({ phase: "Running" });
  });

  test("the generation counts changes of the spec alone, and the deletion", async () => {
    const { client, namespace } = given;
    const patch = (body: object, subresource?: string) =>
      client.patch(ChallengeInstances, namespace, "web", { type: "merge", body }, { subresource });
    const generations = [(await createInstance()).metadata.generation];
    for (const step of [
      () => patch({ metadata: { labels: { a: "b" }, finalizers: ["berg.test/hold"] } }),
      () => patch({ status: { phase: "Running" } }, "status"),
      () => patch({ spec: { renewals: 1 } }),
      () => patch({ spec: { renewals: 1 } }),
    ]) {
      generations.push((await step()).metadata.generation);
    }
    expect(generations).toEqual([1, 1, 1, 2, 2]);
    await client.delete(ChallengeInstances, namespace, "web");
    expect((await client.get(ChallengeInstances, namespace, "web")).metadata.generation).toBe(3);
    await patch({ metadata: { finalizers: null } });
  });

  test("a dry run answers as if, and writes nothing", async () => {
    const { client, namespace } = given;
    const dryRun = true;
    const made = await client.create(ConfigMaps, { metadata: { namespace, name: "dry" } }, { dryRun });
    expect(made.metadata.uid).toBeTruthy();
    expect(isNotFound(await refusal(client.get(ConfigMaps, namespace, "dry")))).toBe(true);

    const kept = await create("kept");
    const data = { a: "2" };
    expect((await client.update(ConfigMaps, { ...kept, data }, { dryRun })).data).toEqual(data);
    const patch = { type: "merge", body: { data } } as const;
    expect((await client.patch(ConfigMaps, namespace, "kept", patch, { dryRun })).data).toEqual(data);
    const applied = { metadata: kept.metadata, data };
    const { managedFields: _, ...metadata } = applied.metadata;
    const options = { dryRun, fieldManager: "dry", force: true };
    expect((await client.apply(ConfigMaps, { metadata, data }, options)).data).toEqual(data);
    await client.delete(ConfigMaps, namespace, "kept", { dryRun });
    await client.deleteCollection(ConfigMaps, { namespace, dryRun });
    expect(await client.get(ConfigMaps, namespace, "kept")).toEqual(kept);
  });

  test("an unknown field is refused, warned of or dropped in silence, as asked", async () => {
    const { namespace, subject } = given;
    const warnings: object[] = [];
    const log: Logger = { ...silentLogger, warn: (fields) => warnings.push(fields) };
    await using client = Object.assign(createClient({ connection: subject.connection, log }), {
      [Symbol.asyncDispose]: () => client.close(),
    });
    const write = (fieldValidation: "Strict" | "Warn" | "Ignore") => {
      const instance = { metadata: { namespace, name: "odd" }, spec: { ...spec, flags: "x", owner: "y" } };
      return client.create(ChallengeInstances, instance, { fieldValidation, dryRun: true });
    };
    const error = await refusal(write("Strict"));
    expect(isBadRequest(error)).toBe(true);
    expect(error.message).toContain('unknown field "spec.flags"');
    expect(warnings).toEqual([]);

    expect((await write("Ignore")).spec).not.toHaveProperty("flags");
    expect(warnings).toEqual([]);
    expect((await write("Warn")).spec).not.toHaveProperty("flags");
    expect(warnings).toMatchObject([
      { method: "POST", warning: 'unknown field "spec.flags"' },
      { method: "POST", warning: 'unknown field "spec.owner"' },
    ]);
  });
}
