/** What a pod gets from the runtime class that it names. */
import { expect, test } from "vitest";
import { createPod, type Given, refusal } from "./given.ts";
import { said } from "./wire.ts";

export function runtimeClasses(given: Given): void {
  const make = (name: string, more: object) =>
    given.ask("POST", "/apis/node.k8s.io/v1/runtimeclasses", {
      body: { metadata: { name }, handler: "runc", ...more },
    });
  const gpu = { key: "gpu", operator: "Exists", effect: "NoSchedule" };

  test("a pod of a class that is not there is refused", async () => {
    const { status } = await refusal(createPod(given, "one", {}, { runtimeClassName: "no-such-class" }));
    expect(status).toMatchObject({ code: 403, reason: "Forbidden" });
    expect(status.message).toBe('pods "one" is forbidden: pod rejected: RuntimeClass "no-such-class" not found');
  });

  test("a pod gets the overhead, the nodes and the tolerations of its class", async () => {
    const runtimeClassName = `${given.namespace}-full`;
    await make(runtimeClassName, {
      overhead: { podFixed: { cpu: "250m", memory: "64Mi" } },
      scheduling: { nodeSelector: { disk: "fast" }, tolerations: [gpu, { ...gpu, operator: "Equal", value: "x" }] },
    });
    const { spec } = await createPod(given, "one", {}, { runtimeClassName, nodeSelector: { zone: "a" } });
    expect(spec).toMatchObject({
      overhead: { cpu: "250m", memory: "64Mi" },
      nodeSelector: { disk: "fast", zone: "a" },
    });
    expect((spec as { tolerations?: { key?: string }[] }).tolerations?.filter(({ key }) => key === "gpu")).toEqual([
      gpu,
    ]);
    const slow = await refusal(createPod(given, "two", {}, { runtimeClassName, nodeSelector: { disk: "slow" } }));
    expect(slow.message).toContain(
      "conflict: runtimeClass.scheduling.nodeSelector[disk] = fast; pod.spec.nodeSelector[disk] = slow",
    );
  });

  test("no pod says what its class costs", async () => {
    const [runtimeClassName, plain] = [`${given.namespace}-costly`, `${given.namespace}-plain`];
    await make(runtimeClassName, { overhead: { podFixed: { cpu: "250m" } } });
    await make(plain, {});
    const other = await refusal(createPod(given, "one", {}, { runtimeClassName, overhead: { cpu: "1" } }));
    expect(other.message).toContain("Pod's Overhead doesn't match RuntimeClass's defined Overhead");
    const none = await refusal(createPod(given, "one", {}, { runtimeClassName: plain, overhead: { cpu: "1" } }));
    expect(none.message).toContain("Pod Overhead set without corresponding RuntimeClass defined Overhead");
    const same = await given.ask("POST", `/api/v1/namespaces/${given.namespace}/pods`, {
      body: {
        metadata: { name: "one" },
        spec: { runtimeClassName, overhead: { cpu: "0.25" }, containers: [{ name: "c", image: "none" }] },
      },
    });
    expect(said(same).message).toBeUndefined();
    expect(same.body.spec.overhead).toEqual({ cpu: "250m" });
  });
}
