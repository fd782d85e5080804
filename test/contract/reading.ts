import { isInvalid, isNotFound } from "@berg/apimachinery";
import { Events, Namespaces, Secrets } from "@berg/kube";
import { expect, test } from "vitest";
import { type Given, recordEvent, refusal } from "./given.ts";

export function reading(given: Given): void {
  const create = (name: string) =>
    given.client.create(Secrets, { metadata: { namespace: given.namespace, name }, stringData: { name } });
  const createAll = async (count: number) => {
    for (let index = 0; index < count; index++) await create(`s-${index}`);
  };
  const namesOf = (list: { items: { metadata: { name: string } }[] }) =>
    list.items.map(({ metadata }) => metadata.name);

  test("gets an object by its name, of a namespace and of the cluster", async () => {
    const { client, namespace } = given;
    const made = await create("one");
    expect(await client.get(Secrets, namespace, "one")).toEqual(made);
    expect(made).toMatchObject({ apiVersion: "v1", kind: "Secret", metadata: { namespace, name: "one" } });
    expect((await client.get(Namespaces, "", namespace)).metadata.name).toBe(namespace);
    expect(isNotFound(await refusal(client.get(Secrets, namespace, "two")))).toBe(true);
  });

  test("an empty list has items, and every item has its kind", async () => {
    const { client, namespace } = given;
    expect((await client.list(Secrets, { namespace })).items).toEqual([]);
    await createAll(1);
    const { items, metadata } = await client.list(Secrets, { namespace });
    expect(items).toMatchObject([{ apiVersion: "v1", kind: "Secret", metadata: { name: "s-0" } }]);
    expect(metadata.resourceVersion).toMatch(/^\d+$/);
  });

  test("lists all namespaces when none is given", async () => {
    const { client, namespace } = given;
    await createAll(1);
    const everywhere = await client.listAll(Secrets);
    expect(everywhere.items.some(({ metadata }) => metadata.namespace === namespace)).toBe(true);
  });

  test("lists in pages that show one moment, and says how much is left", async () => {
    const { client, namespace } = given;
    await createAll(7);
    const first = await client.list(Secrets, { namespace, limit: 3 });
    expect(namesOf(first)).toEqual(["s-0", "s-1", "s-2"]);
    expect(first.metadata.remainingItemCount).toBe(4);

    await create("s-55");
    await client.delete(Secrets, namespace, "s-6");
    const second = await client.list(Secrets, { namespace, limit: 3, continue: first.metadata.continue });
    const third = await client.list(Secrets, { namespace, limit: 3, continue: second.metadata.continue });
    expect(namesOf(second)).toEqual(["s-3", "s-4", "s-5"]);
    expect(namesOf(third)).toEqual(["s-6"]);
    expect(third.metadata.continue ?? "").toBe("");
    for (const page of [second, third]) expect(page.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  });

  test("listAll puts the pages together", async () => {
    const { client, namespace } = given;
    await createAll(7);
    const inPages = await client.listAll(Secrets, { namespace, limit: 2 });
    const atOnce = await client.list(Secrets, { namespace });
    expect(inPages.items).toEqual(atOnce.items);
    expect(inPages.metadata.continue ?? "").toBe("");
  });

  test("listAll begins anew when the server has forgotten the moment of its first page", async () => {
    const { namespace, subject } = given;
    for (let index = 0; index < 5; index++) await recordEvent(given, `e-${index}`);
    let calls = 0;
    const connection = {
      ...subject.connection,
      async authorization(signal?: AbortSignal) {
        if (++calls === 2) {
          await recordEvent(given, "e-5");
          await subject.forgetHistory();
        }
        return subject.connection.authorization(signal);
      },
    };
    const list = await given.connect(connection).listAll(Events, { namespace, limit: 2 });
    expect(namesOf(list)).toEqual(["e-0", "e-1", "e-2", "e-3", "e-4", "e-5"]);
    expect(calls).toBe(3);
  });

  test('a version of "0" takes what is there, "NotOlderThan" at least that, "Exact" just that', async () => {
    const { client, namespace } = given;
    await create("kept");
    const between = (await create("removed")).metadata.resourceVersion;
    await client.delete(Secrets, namespace, "removed");
    const newest = (await create("new")).metadata.resourceVersion;

    expect((await client.list(Secrets, { namespace, resourceVersion: "0" })).kind).toBe("SecretList");
    const atLeast = { resourceVersion: newest, resourceVersionMatch: "NotOlderThan" } as const;
    expect(namesOf(await client.list(Secrets, { namespace, ...atLeast }))).toEqual(["kept", "new"]);
    const exactly = { resourceVersion: between, resourceVersionMatch: "Exact" } as const;
    const then = await client.list(Secrets, { namespace, ...exactly });
    expect(namesOf(then)).toEqual(["kept", "removed"]);
    expect(then.metadata.resourceVersion).toBe(between);
    expect(namesOf(await client.listAll(Secrets, { namespace, ...exactly, limit: 1 }))).toEqual(["kept", "removed"]);
    expect((await client.get(Secrets, namespace, "new", { resourceVersion: newest })).metadata.name).toBe("new");
  });

  test("how to match a version needs a version", async () => {
    const { client, namespace } = given;
    const error = await refusal(client.list(Secrets, { namespace, resourceVersionMatch: "Exact" }));
    expect(isInvalid(error)).toBe(true);
  });
}
