import type { KubeObject, Stored } from "@berg/apimachinery";
import { refusal } from "@berg/kube/testing";
import { describe, expect, test } from "vitest";
import type { ServedKind } from "../served/read-served.ts";
import { Effects } from "./effects.ts";
import type { Node } from "./graph.ts";

const kind = { group: "", version: "v1", resource: "things", kind: "Thing", namespaced: true } as ServedKind;
const owner = (uid: string) => ({ apiVersion: "v1", kind: "Thing", name: uid, uid, blockOwnerDeletion: true });
const thing = (more: object = {}) =>
  ({ metadata: { namespace: "one", name: "a", uid: "1", resourceVersion: "5", ...more } }) as Stored<KubeObject>;
const node: Node = { kind, object: thing() };
const { signal } = new AbortController();

/** A server that has this object, and refuses a delete that names another version. */
function server(stored: Stored<KubeObject> | undefined) {
  const done: unknown[] = [];
  const client = {
    async get() {
      if (!stored) throw refusal(404, { reason: "NotFound" });
      return stored;
    },
    async patch(_type: object, _namespace: string, _name: string, patch: object) {
      done.push(patch);
      return stored;
    },
    async delete(
      _type: object,
      _namespace: string,
      _name: string,
      options: { preconditions: { resourceVersion?: string } },
    ) {
      if (!stored) throw refusal(404, { reason: "NotFound" });
      const { resourceVersion = stored.metadata.resourceVersion } = options.preconditions;
      if (resourceVersion !== stored.metadata.resourceVersion) throw refusal(409, { reason: "Conflict" });
      done.push(options.preconditions);
    },
  };
  return { effects: new Effects(client as never), done };
}

describe("the garbage collector", () => {
  test("reads one life of an object, and no other", async () => {
    expect(await server(thing()).effects.read(node, signal)).toEqual(thing());
    expect(await server(thing({ uid: "2" })).effects.read(node, signal)).toBeUndefined();
    expect(await server(undefined).effects.read(node, signal)).toBeUndefined();
  });

  test("deletes what it read, by UID and version", async () => {
    const { effects, done } = server(thing());
    await effects.remove(node, thing(), "Background", signal);
    expect(done).toEqual([{ uid: "1", resourceVersion: "5" }]);
  });

  test("deletes what only changed in other ways since, and nothing whose owners changed", async () => {
    const same = server(thing({ resourceVersion: "6", ownerReferences: [owner("x")] }));
    await same.effects.remove(node, thing({ ownerReferences: [owner("x")] }), "Background", signal);
    expect(same.done).toEqual([{ uid: "1" }]);
    const adopted = server(thing({ resourceVersion: "6", ownerReferences: [owner("y")] }));
    const removal = adopted.effects.remove(node, thing({ ownerReferences: [owner("x")] }), "Background", signal);
    await expect(removal).rejects.toMatchObject({ code: 409 });
    expect(adopted.done).toEqual([]);
  });

  test("has nothing to do for what is gone", async () => {
    const { effects, done } = server(undefined);
    await effects.remove(node, thing(), "Foreground", signal);
    await effects.release(node, "orphan", signal);
    expect(done).toEqual([]);
  });

  test("takes away the references named, and writes nothing where there are none", async () => {
    const live = thing({ ownerReferences: [owner("x"), owner("y")] });
    const { effects, done } = server(live);
    await effects.unlink(node, live, ["z"], signal);
    expect(done).toEqual([]);
    await effects.unlink(node, live, ["x"], signal);
    await effects.unlink(node, live, ["x", "y"], signal);
    await effects.unblock(node, live, signal);
    const written = (ownerReferences: object[] | null) => {
      return { type: "merge", body: { metadata: { uid: "1", resourceVersion: "5", ownerReferences } } };
    };
    const unblocked = [owner("x"), owner("y")].map((one) => ({ ...one, blockOwnerDeletion: false }));
    expect(done).toEqual([written([owner("y")]), written(null), written(unblocked)]);
  });
});
