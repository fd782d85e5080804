/** How much a namespace may hold: quotas and the limits of a container. */
import { expect, test } from "vitest";
import { createPod, eventually, type Given, refusal } from "./given.ts";
import { said } from "./wire.ts";

export function limits(given: Given): void {
  const at = (resource: string) => `/api/v1/namespaces/${given.namespace}/${resource}`;
  const quota = async (hard: Record<string, string>) => {
    await given.ask("POST", at("resourcequotas"), { body: { metadata: { name: "most" }, spec: { hard } } });
    await eventually(async () => {
      const { status } = (await given.ask("GET", `${at("resourcequotas")}/most`)).body;
      expect(status.hard).toEqual(hard);
    });
  };
  const used = async () => (await given.ask("GET", `${at("resourcequotas")}/most`)).body.status.used;
  const container = (resources: object) => ({ containers: [{ name: "main", image: "none", resources }] });

  test("a quota counts, refuses what is too much, and counts down again", async () => {
    await quota({ secrets: "1" });
    const make = (name: string) => given.ask("POST", at("secrets"), { body: { metadata: { name } } });
    expect((await make("one")).code).toBe(201);
    const answer = await make("two");
    expect(said(answer)).toMatchObject({
      code: 403,
      reason: "Forbidden",
      message:
        'secrets "two" is forbidden: exceeded quota: most, requested: secrets=1, used: secrets=1, limited: secrets=1',
    });
    await given.ask("DELETE", `${at("secrets")}/one`);
    await eventually(async () => expect(await used()).toEqual({ secrets: "0" }));
    expect((await make("two")).code).toBe(201);
  });

  test("a quota of any kind, by its name and group", async () => {
    await quota({ "count/leases.coordination.k8s.io": "1" });
    const path = `/apis/coordination.k8s.io/v1/namespaces/${given.namespace}/leases`;
    await given.ask("POST", path, { body: { metadata: { name: "one" } } });
    const answer = await given.ask("POST", path, { body: { metadata: { name: "two" } } });
    expect(said(answer).message).toContain("exceeded quota: most, requested: count/leases.coordination.k8s.io=1");
  });

  test("under a quota of CPU every container must say what it wants", async () => {
    await quota({ "requests.cpu": "1" });
    const silent = await refusal(createPod(given, "silent"));
    expect(silent.message).toBe('pods "silent" is forbidden: failed quota: most: must specify requests.cpu for: main');
    await createPod(given, "small", {}, container({ requests: { cpu: "600m" } }));
    expect(await used()).toEqual({ "requests.cpu": "600m" });
    const large = await refusal(createPod(given, "large", {}, container({ requests: { cpu: "500m" } })));
    expect(large.message).toContain(
      "exceeded quota: most, requested: requests.cpu=500m, used: requests.cpu=600m, limited: requests.cpu=1",
    );
  });

  test("a quota that is none", async () => {
    const answer = await given.ask("POST", at("resourcequotas"), {
      body: { metadata: { name: "odd" }, spec: { hard: { pods: "-1" } } },
    });
    expect(said(answer)).toMatchObject({ code: 422, causes: ["spec.hard[pods]: FieldValueInvalid"] });
  });

  test("limits of a namespace fill in what a container does not say, and bound what it does", async () => {
    const range = {
      type: "Container",
      default: { memory: "64Mi" },
      defaultRequest: { memory: "32Mi" },
      max: { memory: "128Mi" },
    };
    const { body } = await given.ask("POST", at("limitranges"), {
      body: { metadata: { name: "range" }, spec: { limits: [range] } },
    });
    expect(body.spec.limits).toEqual([range]);
    await eventually(async () => {
      const name = `pod-${Math.floor(performance.now())}`;
      const pod = await createPod(given, name);
      expect(pod.spec?.containers[0]?.resources).toEqual({ limits: { memory: "64Mi" }, requests: { memory: "32Mi" } });
      expect(pod.metadata.annotations?.["kubernetes.io/limit-ranger"]).toBe(
        "LimitRanger plugin set: memory request for container main; memory limit for container main",
      );
    });
    const large = await refusal(createPod(given, "large", {}, container({ limits: { memory: "1Gi" } })));
    expect(large.message).toBe(
      'pods "large" is forbidden: maximum memory usage per Container is 128Mi, but limit is 1Gi',
    );
  });

  test("limits that contradict each other", async () => {
    const limits = [{ type: "Container", min: { cpu: "2" }, max: { cpu: "1" } }];
    const answer = await given.ask("POST", at("limitranges"), {
      body: { metadata: { name: "odd" }, spec: { limits } },
    });
    expect(said(answer)).toMatchObject({ code: 422, reason: "Invalid" });
    expect(answer.body.message).toContain("min value 2 is greater than max value 1");
  });
}
