/** Whoever is listed no more is cluster-admin no more, whatever came between the two lists. */
import { setTimeout as delay } from "node:timers/promises";
import { Secrets } from "@berg/kube";
import { beforeAll, describe, expect, test } from "vitest";
import { type TargetCheck, TargetUnavailable } from "../target/target.ts";
import { ClusterRoleBindings } from "./administrators/plan.ts";
import { adminBindingNameOf } from "./names.ts";
import { operatorAtWork } from "./testing/at-work.ts";
import { untilCondition, untilPhase } from "./testing/told.ts";
import { namespace, type RunningOperator, type World } from "./testing/world.ts";

let world: World;
let operator: RunningOperator;
/** What clusters that were brought along answer; an error where they do not. */
let answer: Partial<TargetCheck> | TargetUnavailable = {};

operatorAtWork((started) => ({ world, operator } = started), undefined, {
  targets: {
    async check() {
      if (answer instanceof Error) throw answer;
      return {
        server: "https://target.test",
        certificateAuthority: "",
        version: "v1",
        expiresAt: undefined,
        ...answer,
      };
    },
  },
});

const type = "AdministratorsConfigured";
const byocOf = (name: string) => ({ byoc: { kubeconfigSecretRef: { name, key: "kubeconfig" } } });
const list = (name: string, administrators: string[]) =>
  world.edit(name, ({ spec }) => {
    spec.administrators = administrators;
  });
const untilList = (uid: string, wanted: string[]) => expect.poll(() => world.administratorsOf(uid)).toEqual(wanted);
/** Nobody reads it here: it changes, so that its cluster is tried again. */
const putSecret = (name: string) =>
  world.client.create(Secrets, { metadata: { name, namespace }, data: { kubeconfig: "bmV3" } });

/** All clusters are one and the same here. */
const userOf = (cluster: string) => `a-${cluster}@example.com`;
/** Comes last of a list: who stands before it is bound when the visit fails. */
const taken = "z-taken@example.com";
beforeAll(async () => {
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" };
  await world.client.create(ClusterRoleBindings, { metadata: { name: adminBindingNameOf(taken) }, roleRef });
});

describe("a list that is taken back, of which a part was set,", () => {
  test.each([
    { name: "some", before: ["b-some@example.com"] },
    { name: "none", before: [] },
  ])("leaves those alone who were there before: $name", async ({ name, before }) => {
    const { metadata } = await world.create(name, { ...byocOf(name), administrators: before });
    await untilCondition(world, name, type, "True/Configured");
    await list(name, [userOf(name), ...before, taken]);
    await untilCondition(world, name, type, "False/BindingNameTaken");
    expect(await world.administratorsOf(metadata.uid)).toContain(userOf(name));
    await list(name, before);
    await untilList(metadata.uid, before);
    await untilCondition(world, name, type, "True/Configured");
  });

  test("is visited no more often for it", async () => {
    const { metadata } = await world.create("refused", { ...byocOf("refused"), administrators: [taken] });
    await untilCondition(world, "refused", type, "False/BindingNameTaken");
    await delay(100);
    const before = operator.calls.length;
    const note = (text: string) =>
      world.edit("refused", ({ metadata }) => {
        metadata.labels = { note: text };
      });
    await note("one");
    await delay(100);
    await note("two");
    await delay(300);
    expect(operator.calls.slice(before)).toEqual([]);
    expect(await world.administratorsOf(metadata.uid)).toEqual([]);
  });

  test("leaves nobody when its Cluster goes", async () => {
    const { metadata } = await world.create("goes", byocOf("goes"));
    await untilCondition(world, "goes", type, "True/Configured");
    await list("goes", [userOf("goes"), taken]);
    await untilCondition(world, "goes", type, "False/BindingNameTaken");
    answer = new TargetUnavailable("TargetUnreachable", "away", true);
    try {
      await list("goes", []);
      await untilCondition(world, "goes", type, "False/TargetUnreachable");
    } finally {
      answer = {};
    }
    await world.remove("goes");
    await untilPhase(world, "goes", "gone");
    expect(await world.administratorsOf(metadata.uid)).toEqual([]);
  });
});

describe("a list that is emptied while the certificate authority of the cluster is replaced", () => {
  test("is heeded when the new one is there", async () => {
    const { metadata } = await world.create("away", { ...byocOf("away"), administrators: [userOf("away")] });
    await untilCondition(world, "away", type, "True/Configured");
    answer = new TargetUnavailable("TargetUnreachable", "away", true);
    try {
      await list("away", []);
      await untilCondition(world, "away", type, "False/TargetUnreachable");
      answer = { certificateAuthority: "new" };
      await putSecret("away");
      await untilCondition(world, "away", type, "True/Configured");
    } finally {
      answer = {};
    }
    expect(await world.administratorsOf(metadata.uid)).toEqual([]);
  });

  test("is heeded, too, where both are seen at once", async () => {
    const { metadata } = await world.create("at-once", { ...byocOf("at-once"), administrators: [userOf("at-once")] });
    await untilCondition(world, "at-once", type, "True/Configured");
    answer = { certificateAuthority: "new" };
    try {
      await list("at-once", []);
      await untilList(metadata.uid, []);
    } finally {
      answer = {};
    }
  });
});

test("a cluster that nobody was ever to be administrator of is not visited", async () => {
  await world.create("nobody", byocOf("nobody"));
  await world.create("nobody-made");
  for (const name of ["nobody", "nobody-made"]) await untilPhase(world, name, "Ready");
  for (const name of ["nobody", "nobody-made"]) await untilCondition(world, name, type, "True/Configured");
  await delay(100);
  const before = operator.calls.filter(({ server }) => server === "target").length;
  await world.remove("nobody");
  await untilPhase(world, "nobody", "gone");
  expect(operator.calls.filter(({ server }) => server === "target")).toHaveLength(before);
});
