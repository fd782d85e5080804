import type { KubeObject, ResourceType, Stored } from "@berg/apimachinery";
import { Informer, type Manager, type Transform } from "@berg/kube";
import { ChallengeInstances } from "@berg/resources";
import { expect, test } from "vitest";
import { copiesOf } from "./copies.ts";
import { at, makeInstance } from "./testing/objects.ts";

test("of a ChallengeInstance the janitor keeps when it ends and where it is in its life, and no flag", () => {
  const manager = {
    informer: (type: ResourceType<KubeObject>, options: { transform?: Transform<KubeObject> }) =>
      new Informer({ client: {} as never, type, ...options }),
  } as unknown as Manager;
  const { instances } = copiesOf(manager).informers;
  const instance = makeInstance("a", { expires: 10, phase: "Terminating", deleted: 12 });
  const spec = { ...instance.spec, flag: "flag{secret}" };
  const annotations = { "kubectl.kubernetes.io/last-applied-configuration": '{"flag":"flag{secret}"}' };
  const seen = { ...instance, spec, metadata: { ...instance.metadata, annotations } } as Stored<KubeObject>;
  expect(instances.type).toBe(ChallengeInstances);
  const kept = instances.prepare(seen as typeof instance);
  expect(kept).toMatchObject({ status: { expiresAt: at(10), phase: "Terminating" }, metadata: instance.metadata });
  expect(JSON.stringify(kept)).not.toContain("flag");
});
