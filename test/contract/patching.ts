import { isDeepStrictEqual } from "node:util";
import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicPatch,
  isInvalid,
  type KubeObject,
  PatchError,
  StatusError,
  strategicSchemaFor,
} from "@berg/apimachinery";
import { ConfigMaps, Deployments, type Patch } from "@berg/kube";
import { ChallengeInstances } from "@berg/resources";
import { expect, test } from "vitest";
import { type Given, refusal } from "./given.ts";
import { type PatchCase, patchCases, patched } from "./patch-cases.ts";

export function patching(given: Given): void {
  test("each kind of patch changes what it says", async () => {
    const { client, namespace } = given;
    await client.create(ConfigMaps, { metadata: { namespace, name: "one" }, data: { a: "1", b: "2" } });
    const data = async (patch: Patch) => (await client.patch(ConfigMaps, namespace, "one", patch)).data;
    expect(await data({ type: "json", operations: [{ op: "remove", path: "/data/a" }] })).toEqual({ b: "2" });
    expect(await data({ type: "merge", body: { data: { b: null, c: "3" } } })).toEqual({ c: "3" });
    expect(await data({ type: "strategic", body: { data: { d: "4" } } })).toEqual({ c: "3", d: "4" });
    const applied = { metadata: { namespace, name: "one" }, data: { e: "5" } };
    expect((await client.apply(ConfigMaps, applied, { fieldManager: "patching" })).data).toEqual({
      c: "3",
      d: "4",
      e: "5",
    });
  });

  test("a JSON patch whose test fails is invalid, and changes nothing", async () => {
    const { client, namespace } = given;
    const made = await client.create(ConfigMaps, { metadata: { namespace, name: "tested" }, data: { a: "1" } });
    const operations = [
      { op: "remove", path: "/data/a" },
      { op: "test", path: "/metadata/uid", value: "another life" },
    ];
    const error = await refusal(client.patch(ConfigMaps, namespace, "tested", { type: "json", operations }));
    expect(isInvalid(error)).toBe(true);
    expect(error.code).toBe(422);
    expect(await client.get(ConfigMaps, namespace, "tested")).toEqual(made);
  });

  test("a strategic patch of a custom resource is refused, as is one of which we have no schema", async () => {
    const { client, namespace } = given;
    const patch = { type: "strategic", body: { metadata: { labels: { a: "b" } } } } as const;
    const error = await refusal(client.patch(ChallengeInstances, namespace, "web", patch));
    expect(error).toMatchObject({ code: 415, reason: "UnsupportedMediaType" });
    expect(strategicSchemaFor(ChallengeInstances)).toBeUndefined();
    expect(strategicSchemaFor(Deployments)).toBeDefined();
  });

  // A server fills in defaults, so the two are compared after it has done so for both: the patch sent, and its result put.
  test("patches applied here give what the server makes of them", async () => {
    const { client, namespace } = given;
    for (const { type, body, metadata } of patched) {
      const object = { metadata: { ...metadata, namespace, name: "patched" }, ...body };
      await client.create<KubeObject>(type, object);
    }
    for (const { name, type, patch, wantFromServer } of patchCases) {
      const original = await client.get(type, namespace, "patched");
      const sent = await outcome(() => client.patch(type, namespace, "patched", patch, { dryRun: true }));
      const put = await outcome(() => {
        const result = patchedHere(original, patch, type) as KubeObject;
        return isDeepStrictEqual(result, original) ? original : client.update(type, result, { dryRun: true });
      });
      if (wantFromServer) {
        expect.soft(sent, name).toMatchObject(wantFromServer);
        expect.soft(put, name).not.toEqual(sent);
      } else {
        expect.soft(put, name).toEqual(sent);
      }
    }
  });
}

function patchedHere(object: KubeObject, patch: Patch, type: PatchCase["type"]): unknown {
  switch (patch.type) {
    case "json":
      return applyJsonPatch(object, patch.operations);
    case "merge":
      return applyMergePatch(object, patch.body);
    case "strategic":
      return applyStrategicPatch(object, patch.body, strategicSchemaFor(type) ?? {});
  }
}

/** An object without what a server notes about each write, or the code with which it is refused. */
async function outcome(work: () => KubeObject | Promise<KubeObject>): Promise<object> {
  try {
    const { metadata, ...object } = await work();
    const { managedFields: _, resourceVersion: __, ...rest } = metadata;
    return { ...object, metadata: rest };
  } catch (error) {
    if (error instanceof PatchError || error instanceof StatusError) return { refused: error.code };
    throw error;
  }
}
