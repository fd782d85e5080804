/** Every way in which a server says no, and the one predicate that knows it. */
import {
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isForbidden,
  isGone,
  isInternalError,
  isInvalid,
  isMethodNotSupported,
  isNamespaceTerminating,
  isNotFound,
  isOtherUid,
  isServerTimeout,
  isServiceUnavailable,
  isTooLarge,
  isTooLargeResourceVersion,
  isTooManyRequests,
  isUnauthorized,
} from "@berg/apimachinery";
import { ConfigMaps, Events, Namespaces, Pods, ServiceAccounts } from "@berg/kube";
import { expect, test } from "vitest";
import { type Given, recordEvent, refusal, tokenFor, untilGone } from "./given.ts";

const predicates = {
  isAlreadyExists,
  isBadRequest,
  isConflict,
  isForbidden,
  isGone,
  isInternalError,
  isInvalid,
  isMethodNotSupported,
  isNamespaceTerminating,
  isNotFound,
  isOtherUid,
  isServerTimeout,
  isServiceUnavailable,
  isTooLarge,
  isTooLargeResourceVersion,
  isTooManyRequests,
  isUnauthorized,
};
type Predicate = keyof typeof predicates;

export function refusals(given: Given): void {
  const create = (name: string, more: object = {}) =>
    given.client.create(ConfigMaps, { metadata: { namespace: given.namespace, name }, ...more });

  async function known(call: Promise<unknown>): Promise<Predicate[]> {
    const error = await refusal(call);
    expect(error.message).not.toBe("");
    return (Object.keys(predicates) as Predicate[]).filter((name) => predicates[name](error));
  }

  test("not found: an object, a namespace to write to, a kind", async () => {
    const { client, namespace } = given;
    expect(await known(client.get(ConfigMaps, namespace, "none"))).toEqual(["isNotFound"]);
    expect(await known(client.create(ConfigMaps, { metadata: { namespace: "none", name: "x" } }))).toEqual([
      "isNotFound",
    ]);
    expect(await known(client.list({ ...ConfigMaps, resource: "nothings" }))).toEqual(["isNotFound"]);
    expect(await known(client.raw("/nowhere"))).toEqual(["isNotFound"]);
  });

  test("already exists, conflict, invalid", async () => {
    const made = await create("one");
    expect(await known(create("one"))).toEqual(["isAlreadyExists"]);
    await given.client.update(ConfigMaps, { ...made, data: { a: "1" } });
    expect(await known(given.client.update(ConfigMaps, { ...made, data: { a: "2" } }))).toEqual(["isConflict"]);
    expect(await known(create("Not A Name"))).toEqual(["isInvalid"]);
  });

  test("bad request", async () => {
    const { client, namespace } = given;
    const bad = ["isBadRequest"];
    expect(await known(client.list(ConfigMaps, { namespace, labelSelector: "a=b=c" }))).toEqual(bad);
    expect(await known(client.list(ConfigMaps, { namespace, continue: "nonsense" }))).toEqual(bad);
    expect(await known(create("x", { data: "text" }))).toEqual(bad);
    const foreign = { type: "merge", body: { metadata: { name: "other" } } } as const;
    await create("named");
    expect(await known(client.patch(ConfigMaps, namespace, "named", foreign))).toEqual(bad);
  });

  test("unauthorized and forbidden", async () => {
    const { client, namespace, subject } = given;
    const stranger = given.connect(subject.connectWith("no-such-token"));
    expect(await known(stranger.get(ConfigMaps, namespace, "x"))).toEqual(["isUnauthorized"]);
    await client.create(ServiceAccounts, { metadata: { namespace, name: "player" } });
    const player = given.connect(subject.connectWith(await tokenFor(given, "player")));
    expect(await known(player.get(ConfigMaps, namespace, "x"))).toEqual(["isForbidden"]);
    expect(await known(player.list(Pods))).toEqual(["isForbidden"]);
  });

  test("a method that the resource does not have", async () => {
    const { client } = given;
    expect(await known(client.deleteCollection(Namespaces, { labelSelector: "none" }))).toEqual([
      "isMethodNotSupported",
    ]);
    const reviews = { group: "authorization.k8s.io", version: "v1", resource: "selfsubjectaccessreviews" };
    expect(await known(client.list({ ...reviews, kind: "", namespaced: false }))).toEqual(["isMethodNotSupported"]);
  });

  test.each([
    { what: "a body of 4 MiB", size: 4 * 1024 * 1024 },
    { what: "a body of 32 MiB", size: 32 * 1024 * 1024 },
  ])("too large: $what", async ({ size }) => {
    expect(await known(create("large", { data: { x: "x".repeat(size) } }))).toEqual(["isTooLarge"]);
  });

  test("too large for the store, which the server only finds out on the way", async () => {
    const message = "x".repeat(2 * 1024 * 1024);
    expect(await known(recordEvent(given, "large", { message }))).toEqual(["isInternalError"]);
  });

  test("a version from the future", async () => {
    const { client, namespace } = given;
    const resourceVersion = "9000000000000000";
    const future = { resourceVersion, resourceVersionMatch: "NotOlderThan" } as const;
    const want = ["isServerTimeout", "isTooLargeResourceVersion"];
    expect(await known(client.list(ConfigMaps, { namespace, ...future }))).toEqual(want);
  });

  test("history that is gone: the rest of a list, a list of then", async () => {
    const { client, namespace, subject } = given;
    for (const name of ["one", "two"]) await recordEvent(given, name);
    const { metadata } = await client.list(Events, { namespace, limit: 1 });
    await recordEvent(given, "three");
    await subject.forgetHistory();
    expect(await known(client.list(Events, { namespace, continue: metadata.continue }))).toEqual(["isGone"]);
    const then = { resourceVersion: metadata.resourceVersion, resourceVersionMatch: "Exact" } as const;
    expect(await known(client.list(Events, { namespace, ...then }))).toEqual(["isGone"]);
  });

  test("a namespace that is on its way out", async () => {
    const { client, namespace } = given;
    const held = { metadata: { namespace, name: "held", finalizers: ["berg.test/hold"] } };
    await client.create(ConfigMaps, held);
    await client.delete(Namespaces, "", namespace);
    expect(await known(create("late"))).toEqual(["isForbidden", "isNamespaceTerminating"]);
    expect(
      await known(client.apply(ConfigMaps, { metadata: { namespace, name: "late" } }, { fieldManager: "x" })),
    ).toEqual(["isForbidden", "isNamespaceTerminating"]);
    await client.patch(ConfigMaps, namespace, "held", { type: "merge", body: { metadata: { finalizers: null } } });
    await untilGone(client, Namespaces, { name: namespace });
  });
}
