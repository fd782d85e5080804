/** What a pod gets from the priority class that it names, and which classes there can be. */
import { expect, test } from "vitest";
import { createPod, eventually, type Given, refusal } from "./given.ts";
import { said } from "./wire.ts";

export function priorityClasses(given: Given): void {
  const path = "/apis/scheduling.k8s.io/v1/priorityclasses";
  const make = (name: string, more: object) => given.ask("POST", path, { body: { metadata: { name }, ...more } });
  const system = { "system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000 };

  test("those of the system are there, and cannot be deleted", async () => {
    for (const [name, value] of Object.entries(system)) {
      const { body } = await given.ask("GET", `${path}/${name}`);
      expect(body).toMatchObject({
        value,
        preemptionPolicy: "PreemptLowerPriority",
        description: expect.stringMatching(/^Used for system critical pods that must /),
        metadata: { generation: 1 },
      });
      expect(said(await given.ask("DELETE", `${path}/${name}`))).toMatchObject({
        code: 403,
        reason: "Forbidden",
        message: `priorityclasses.scheduling.k8s.io "${name}" is forbidden: this is a system priority class and cannot be deleted`,
      });
    }
  });

  test("a pod gets the priority of its class, and keeps it when the class is gone", async () => {
    const priorityClassName = `${given.namespace}-high`;
    expect((await make(priorityClassName, { value: 1000, preemptionPolicy: "Never" })).code).toBe(201);
    const wanted = { priorityClassName, priority: 1000, preemptionPolicy: "Never" };
    // The real server learns of a class a moment after it is made.
    const { spec } = await eventually(() => createPod(given, "one", {}, { priorityClassName }));
    expect(spec).toMatchObject(wanted);
    const named = await createPod(given, "two", {}, { priorityClassName: "system-node-critical" });
    expect(named.spec).toMatchObject({ priority: 2_000_001_000, preemptionPolicy: "PreemptLowerPriority" });
    expect((await given.ask("DELETE", `${path}/${priorityClassName}`)).code).toBe(200);
    const pod = await given.ask("GET", `/api/v1/namespaces/${given.namespace}/pods/one`);
    expect(pod.body.spec).toMatchObject(wanted);
  });

  test("a pod without a class has none", async () => {
    const { spec } = await createPod(given, "one");
    expect(spec).toMatchObject({ priority: 0, preemptionPolicy: "PreemptLowerPriority" });
    expect(spec).not.toHaveProperty("priorityClassName");
  });

  test("what a pod says otherwise than its class is refused", async () => {
    const priorityClassName = "system-cluster-critical";
    const unknown = await refusal(createPod(given, "one", {}, { priorityClassName: "no-such-class" }));
    expect(unknown.status).toMatchObject({ code: 403, reason: "Forbidden" });
    expect(unknown.message).toBe('pods "one" is forbidden: no PriorityClass with name no-such-class was found');
    const other = await refusal(createPod(given, "one", {}, { priorityClassName, priority: 7 }));
    expect(other.message).toContain(
      "the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 2000000000 from the given PriorityClass name",
    );
    const never = await refusal(createPod(given, "one", {}, { priorityClassName, preemptionPolicy: "Never" }));
    expect(never.message).toContain(
      "the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority admission controller computed PreemptLowerPriority from",
    );
    const same = { priorityClassName, priority: 2_000_000_000, preemptionPolicy: "PreemptLowerPriority" };
    expect((await createPod(given, "one", {}, same)).spec).toMatchObject(same);
  });

  test("value and policy stay as they were; what else changes counts as no generation", async () => {
    const name = `${given.namespace}-fixed`;
    const change = async (body: object) =>
      given.ask("PATCH", `${path}/${name}`, { body, type: "application/merge-patch+json" });
    await make(name, { value: 10 });
    expect(said(await change({ value: 11, preemptionPolicy: "Never" }))).toMatchObject({
      code: 422,
      message: `PriorityClass.scheduling.k8s.io "${name}" is invalid: [value: Forbidden: may not be changed in an update., preemptionPolicy: Invalid value: "Never": field is immutable]`,
    });
    expect((await change({ description: "Ours." })).body).toMatchObject({
      description: "Ours.",
      metadata: { generation: 1 },
    });
  });

  test("what is reserved is refused", async () => {
    expect(said(await make("system-mine", { value: 10 })).message).toBe(
      "PriorityClass.scheduling.k8s.io \"system-mine\" is invalid: metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-mine is not a known system priority class",
    );
    const high = await make("high", { value: 1_000_000_001, preemptionPolicy: "Sometimes" });
    expect(said(high).message).toBe(
      'PriorityClass.scheduling.k8s.io "high" is invalid: [value: Forbidden: maximum allowed value of a user defined priority is 1000000000, preemptionPolicy: Unsupported value: "Sometimes": supported values: "PreemptLowerPriority", "Never"]',
    );
  });

  test("one class at most is for pods that name none", async () => {
    const [name, second] = [`${given.namespace}-default`, `${given.namespace}-second`];
    expect((await make(name, { value: 5, globalDefault: true })).code).toBe(201);
    const refused = `PriorityClass ${name} is already marked as default. Only one default can exist`;
    try {
      await eventually(async () => {
        const answer = await given.ask("POST", `${path}?dryRun=All`, {
          body: { metadata: { name: second }, value: 6, globalDefault: true },
        });
        if (answer.code < 400) throw new Error("not yet");
        expect(said(answer)).toMatchObject({
          code: 403,
          message: `priorityclasses.scheduling.k8s.io "${second}" is forbidden: ${refused}`,
        });
      });
      const { spec } = await createPod(given, "one");
      expect(spec).toMatchObject({ priorityClassName: name, priority: 5 });
    } finally {
      await given.ask("DELETE", `${path}/${name}`);
      await eventually(async () => {
        const { body } = await given.ask("POST", `/api/v1/namespaces/${given.namespace}/pods?dryRun=All`, {
          body: { metadata: { name: "two" }, spec: { containers: [{ name: "c", image: "none" }] } },
        });
        if (body.spec.priority !== 0) throw new Error("the default class is still known");
      });
    }
  });
}
