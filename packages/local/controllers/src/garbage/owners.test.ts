import type { KubeObject, Stored } from "@berg/apimachinery";
import { refusal } from "@berg/kube/testing";
import { describe, expect, test } from "vitest";
import type { ServedKind } from "../served/read-served.ts";
import { foreground } from "./graph.ts";
import { ImpossibleOwner, Owners, UnknownKind } from "./owners.ts";

const type = (kind: string, namespaced: boolean, version = "v1"): ServedKind => {
  return { group: "", version, resource: `${kind.toLowerCase()}s`, kind, namespaced, verbs: [], preferred: true };
};
const served = { kinds: [type("Thing", true), type("Place", false)], unread: [] };
const reference = (kind: string, uid = "1", apiVersion = "v1") => ({ apiVersion, kind, name: "owner", uid });
const dependent = (namespace?: string) =>
  ({ metadata: { name: "child", ...(namespace && { namespace }) } }) as Stored<KubeObject>;
const { signal } = new AbortController();

function server(answer: () => object) {
  const asked: string[] = [];
  const get = async (kind: ServedKind, namespace: string, name: string) => {
    asked.push(`${kind.kind} ${namespace}/${name}`);
    return answer();
  };
  return { owners: new Owners({ get } as never), asked };
}
const found = (metadata: object) => () => ({ metadata: { uid: "1", ...metadata } });
const notFound = () => {
  throw refusal(404, { reason: "NotFound" });
};

describe("an owner", () => {
  test.each([
    ["that is there", found({}), "solid"],
    ["that goes by itself", found({ deletionTimestamp: "now" }), "solid"],
    ["that waits for its dependents", found({ deletionTimestamp: "now", finalizers: [foreground] }), "waiting"],
    ["that is not going, whatever its finalizers", found({ finalizers: [foreground] }), "solid"],
    ["whose name another bears", found({ uid: "2" }), "absent"],
    ["that is not there", notFound, "absent"],
  ])("%s", async (_, answer, want) => {
    const { owners, asked } = server(answer);
    expect(await owners.stateOf(reference("Thing"), dependent("one"), served, signal)).toBe(want);
    expect(asked).toEqual(["Thing one/owner"]);
  });

  test("without a namespace is looked for without one", async () => {
    const { owners, asked } = server(found({}));
    await owners.stateOf(reference("Place"), dependent("one"), served, signal);
    expect(asked).toEqual(["Place /owner"]);
  });

  test("that is gone is asked for once, and one that is there each time", async () => {
    const gone = server(notFound);
    const there = server(found({}));
    for (const { owners } of [gone, there]) {
      for (let n = 0; n < 3; n++) await owners.stateOf(reference("Thing"), dependent("one"), served, signal);
    }
    expect([gone.asked.length, there.asked.length]).toEqual([1, 3]);
    await gone.owners.stateOf(reference("Thing"), dependent("two"), served, signal);
    expect(gone.asked).toEqual(["Thing one/owner", "Thing two/owner"]);
  });

  test("that cannot be asked for is neither there nor gone", async () => {
    const { owners, asked } = server(() => {
      throw refusal(503);
    });
    const state = (kind: string, of: Stored<KubeObject>, apiVersion = "v1") =>
      owners.stateOf(reference(kind, "1", apiVersion), of, served, signal);
    await expect(state("Thing", dependent("one"))).rejects.toThrow(/503/);
    await expect(state("Nothing", dependent("one"))).rejects.toThrow(UnknownKind);
    await expect(state("Thing", dependent("one"), "v2")).rejects.toThrow(UnknownKind);
    await expect(state("Thing", dependent())).rejects.toThrow(ImpossibleOwner);
    expect(asked).toEqual(["Thing one/owner"]);
  });
});
