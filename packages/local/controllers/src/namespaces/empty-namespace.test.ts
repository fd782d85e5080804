import type { ResourceType } from "@berg/apimachinery";
import { FakeClock, refusal } from "@berg/kube/testing";
import { describe, expect, test } from "vitest";
import type { ServedKind } from "../served/read-served.ts";
import { emptyNamespace } from "./empty-namespace.ts";
import { nextLookMs } from "./namespaces.ts";

const kind = (resource: string, more: Partial<ServedKind> = {}): ServedKind => ({
  group: "",
  version: "v1",
  resource,
  kind: resource,
  namespaced: true,
  verbs: ["list", "delete", "deletecollection"],
  preferred: true,
  ...more,
});

/** A namespace in memory. What has a finalizer stays, and so do pods that take their time. */
function namespaceWith(
  contents: Record<string, { name: string; finalizers?: string[]; grace?: number; phase?: string }[]>,
) {
  const done: string[] = [];
  const stays = ({ finalizers, grace }: { finalizers?: string[]; grace?: number }) => Boolean(finalizers || grace);
  const objects = (type: ResourceType) =>
    (contents[type.resource] ?? []).map(({ name, finalizers, grace, phase }) => ({
      apiVersion: "v1",
      kind: type.kind,
      metadata: { name, uid: `uid-${name}`, ...(finalizers && { finalizers }) },
      spec: { terminationGracePeriodSeconds: grace },
      status: { phase },
    }));
  const client = {
    listAll: async (type: ResourceType) => {
      done.push(`list ${type.resource}`);
      return { items: objects(type) };
    },
    deleteCollection: async (type: ResourceType) => {
      done.push(`empty ${type.resource}`);
      contents[type.resource] = (contents[type.resource] ?? []).filter(stays);
    },
    delete: async (type: ResourceType, _: string, name: string, options: { preconditions?: { uid?: string } }) => {
      done.push(`delete ${type.resource} ${name} ${options.preconditions?.uid}`);
      contents[type.resource] = (contents[type.resource] ?? []).filter((one) => one.name !== name || stays(one));
    },
  };
  const clock = new FakeClock();
  const empty = (kinds: ServedKind[], deletedAt = clock.now()) =>
    emptyNamespace(
      { client: client as never, clock, signal: new AbortController().signal, namespace: "one", deletedAt },
      { kinds, unread: [] },
    );
  return { empty, done, client, clock };
}

describe("emptying a namespace", () => {
  test("asks once for each kind where there is nothing, and deletes nothing", async () => {
    const { empty, done } = namespaceWith({});
    const emptied = await empty([kind("pods"), kind("secrets")]);
    expect(done).toEqual(["list pods", "list secrets"]);
    expect(emptied).toEqual({ findings: { unread: [], failures: [], remaining: [] }, wasEmpty: true, estimate: 0 });
  });

  test("was not empty where it had to delete something, even if all is gone now", async () => {
    const { empty } = namespaceWith({ secrets: [{ name: "a" }] });
    expect(await empty([kind("secrets"), kind("configmaps")])).toMatchObject({
      wasEmpty: false,
      findings: { failures: [], remaining: [] },
    });
  });

  test("leaves alone what has no namespace, cannot be deleted, or is the same under another version", async () => {
    const { empty, done } = namespaceWith({});
    await empty([
      kind("nodes", { namespaced: false }),
      kind("bindings", { verbs: ["create"] }),
      kind("old", { preferred: false }),
      kind("new"),
    ]);
    expect(done).toEqual(["list new"]);
  });

  test("deletes one by one, by UID, where a kind cannot be emptied at once", async () => {
    const { empty, done } = namespaceWith({ things: [{ name: "a" }, { name: "b" }] });
    await empty([kind("things", { verbs: ["list", "delete"] })]);
    expect(done).toEqual(["list things", "delete things a uid-a", "delete things b uid-b", "list things"]);
  });

  test("touches nothing else while a pod is left", async () => {
    const { empty, done } = namespaceWith({ pods: [{ name: "a", grace: 30 }], secrets: [{ name: "s" }] });
    const emptied = await empty([kind("secrets"), kind("pods")]);
    expect(done).toEqual(["list pods", "empty pods", "list pods"]);
    expect(emptied).toEqual({
      findings: { unread: [], failures: [], remaining: undefined },
      wasEmpty: false,
      estimate: 30,
    });
  });

  test("waits for a pod as long as it may take", async () => {
    const { empty, clock } = namespaceWith({ pods: [{ name: "a", grace: 30 }] });
    const emptied = await empty([kind("pods")], clock.now() - 29_000);
    expect([emptied.estimate, emptied.findings.failures]).toEqual([30, []]);
  });

  test.each([
    ["whose time is over", 30, "Running"],
    ["that has ended", 0, "Succeeded"],
  ])("calls it unexpected that a pod is left %s", async (_, secondsAgo, phase) => {
    const { empty, clock } = namespaceWith({ pods: [{ name: "a", grace: 30, phase }] });
    const emptied = await empty([kind("pods")], clock.now() - secondsAgo * 1000);
    expect(emptied.findings.failures).toEqual([
      "unexpected items still remain in namespace: one for gvr: /v1, Resource=pods",
    ]);
  });

  test("counts what finalizers hold, kind by kind", async () => {
    const { empty } = namespaceWith({
      secrets: [{ name: "a", finalizers: ["x", "y"] }, { name: "b", finalizers: ["x"] }, { name: "c" }],
    });
    const { findings, estimate } = await empty([kind("secrets")]);
    expect(findings.remaining).toEqual([
      {
        kind: kind("secrets"),
        count: 2,
        finalizers: new Map([
          ["x", 2],
          ["y", 1],
        ]),
      },
    ]);
    expect(estimate).toBe(15);
  });

  test.each([
    ["refuses", 403, "Forbidden", ["not you"]],
    ["is gone", 404, "NotFound", []],
    ["cannot be listed", 405, "MethodNotAllowed", []],
  ])("goes on where a kind %s", async (_, code, reason, failures) => {
    const { empty, client } = namespaceWith({ secrets: [{ name: "a" }] });
    const list = client.listAll;
    client.listAll = async (type) => {
      if (type.resource === "broken") throw refusal(code, { reason, message: "not you" });
      return list(type);
    };
    const { findings } = await empty([kind("broken"), kind("secrets")]);
    expect(findings).toEqual({ unread: [], failures, remaining: [] });
  });
});

test("what is left is looked for soon at first, then ever later, and no later than by half of what it may take", () => {
  expect(nextLookMs({ estimate: 15 }, 0)).toBe(250);
  expect(nextLookMs({ estimate: 15 }, 4_000)).toBe(1_000);
  expect(nextLookMs({ estimate: 15 }, 10 ** 9)).toBe(8_500);
});
