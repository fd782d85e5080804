/** Server-side apply: rule 6 of our controllers stands on it. */
import { isConflict, isOtherUid, type Stored } from "@berg/apimachinery";
import { type ConfigMap, ConfigMaps } from "@berg/kube";
import { expect, test } from "vitest";
import { type Given, refusal } from "./given.ts";

export function applying(given: Given): void {
  const apply = (
    fieldManager: string,
    data: Record<string, string>,
    more: { force?: boolean; metadata?: object } = {},
  ) =>
    given.client.apply(
      ConfigMaps,
      { metadata: { namespace: given.namespace, name: "shared", ...more.metadata }, data },
      { fieldManager, ...(more.force !== undefined && { force: more.force }) },
    );

  function owners(object: Stored<ConfigMap>): Record<string, string[]> {
    const entries = object.metadata.managedFields?.map(({ manager = "", operation, fieldsV1 }) => {
      const fields = (fieldsV1 as { "f:data"?: object })["f:data"] ?? {};
      return [`${manager} ${operation}`, Object.keys(fields).filter((field) => field !== ".")] as const;
    });
    return Object.fromEntries(entries ?? []);
  }

  test("creates what is not there, and owns what it says", async () => {
    const made = await apply("one", { a: "1" });
    expect(made.data).toEqual({ a: "1" });
    expect(owners(made)).toEqual({ "one Apply": ["f:a"] });
  });

  test("the same again writes nothing", async () => {
    const made = await apply("one", { a: "1" });
    expect(await apply("one", { a: "1" })).toEqual(made);
  });

  test("two managers own what each says, and share what both say alike", async () => {
    await apply("one", { a: "1", both: "x" });
    const object = await apply("two", { b: "2", both: "x" });
    expect(object.data).toEqual({ a: "1", b: "2", both: "x" });
    expect(owners(object)).toEqual({ "one Apply": ["f:a", "f:both"], "two Apply": ["f:b", "f:both"] });
  });

  test("what another owns is a conflict that names the field, unless it is forced", async () => {
    await apply("one", { a: "1", kept: "x" });
    const error = await refusal(apply("two", { a: "2" }));
    expect(isConflict(error)).toBe(true);
    expect(error.status.details?.causes).toMatchObject([{ reason: "FieldManagerConflict", field: ".data.a" }]);
    expect(error.message).toContain('"one"');

    const taken = await apply("two", { a: "2" }, { force: true });
    expect(taken.data).toEqual({ a: "2", kept: "x" });
    expect(owners(taken)).toEqual({ "one Apply": ["f:kept"], "two Apply": ["f:a"] });
    expect(isConflict(await refusal(apply("one", { a: "1", kept: "x" })))).toBe(true);
  });

  test("what a manager no longer says goes, unless another says it too", async () => {
    await apply("one", { a: "1", both: "x" });
    await apply("two", { both: "x" });
    expect((await apply("one", {})).data).toEqual({ both: "x" });
    expect((await apply("two", {})).data ?? {}).toEqual({});
  });

  test("leaves alone what was written by other means", async () => {
    const { client, namespace } = given;
    await apply("one", { a: "1" });
    await client.patch(ConfigMaps, namespace, "shared", { type: "merge", body: { data: { hand: "made" } } });
    expect((await apply("one", { b: "2" })).data).toEqual({ b: "2", hand: "made" });
  });

  test("with a UID it never takes over another life of the name, nor makes a new one", async () => {
    const { client, namespace } = given;
    const { uid } = (await apply("one", { a: "1" })).metadata;
    expect((await apply("one", { a: "2" }, { metadata: { uid } })).data).toEqual({ a: "2" });

    await client.delete(ConfigMaps, namespace, "shared");
    expect(isConflict(await refusal(apply("one", { a: "3" }, { metadata: { uid } })))).toBe(true);
    const again = await apply("stranger", { a: "stranger's" });
    const forced = { metadata: { uid }, force: true };
    expect(isOtherUid(await refusal(apply("one", { a: "3" }, forced)))).toBe(true);
    expect(await client.get(ConfigMaps, namespace, "shared")).toEqual(again);
  });

  test("with a version it is a conflict when somebody wrote since", async () => {
    const { resourceVersion } = (await apply("one", { a: "1" })).metadata;
    await apply("two", { b: "2" });
    expect(isConflict(await refusal(apply("one", { a: "2" }, { metadata: { resourceVersion } })))).toBe(true);
  });
}
