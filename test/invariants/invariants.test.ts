/** An invariant that cannot be broken protects nothing: each of them is broken here by a history made by hand. */
import type { KubeObject, Stored } from "@berg/apimachinery";
import { describe, expect, test } from "vitest";
import type { Seen } from "../faults/proxy.ts";
import { requestTarget } from "../faults/request-path.ts";
import { violations } from "./check.ts";
import type { Observed } from "./record.ts";

const flag = 'flag{canary "1" 5f3a}';
const marks = { "app.kubernetes.io/managed-by": "berg", "berg.norelect.ch/instance-uid": "instance-1" };

/** Objects come at the revisions 1, 2, …, a second apart, unless they say otherwise. */
class Story {
  readonly changes: Observed[] = [];
  readonly requests: Seen[] = [];
  readonly output: string[] = [];
  hasPolicies = true;
  now = 10_000;

  and(type: Observed["type"], resource: string, object: Partial<KubeObject> & { metadata: object }): this {
    const revision = this.changes.length + 1;
    const metadata = {
      resourceVersion: String(revision),
      creationTimestamp: "2026-10-01T12:00:00Z",
      ...object.metadata,
    };
    const stored = { apiVersion: "v1", ...object, metadata } as Stored<KubeObject>;
    this.changes.push({ type, resource, object: stored, at: revision * 1000 });
    return this;
  }

  instance(
    status: object = {},
    { uid = "instance-1", spec = {}, type = "updated" as Observed["type"], ...meta } = {},
  ): this {
    return this.and(type, "challengeinstances", {
      kind: "ChallengeInstance",
      metadata: { namespace: "berg", name: uid, uid, ...meta },
      spec: { ownerId: "owner-1", challengeRef: { name: "web" }, flag, ...spec },
      status,
    } as never);
  }

  namespace(labels: Record<string, string> = marks, type: Observed["type"] = "added"): this {
    return this.and(type, "namespaces", {
      kind: "Namespace",
      metadata: { name: "challenge-1", uid: "namespace-1", labels },
    });
  }

  policy(type: Observed["type"] = "added"): this {
    const metadata = { namespace: "challenge-1", name: "policy", uid: "policy-1", labels: marks };
    return this.and(type, "networkpolicies", { kind: "NetworkPolicy", metadata });
  }

  pod(spec: object = {}, { type = "added" as Observed["type"], status = {} } = {}): this {
    return this.and(type, "pods", {
      kind: "Pod",
      metadata: { namespace: "challenge-1", name: "web", uid: "pod-1", labels: marks },
      spec: { automountServiceAccountToken: false, containers: [{ name: "web" }], ...spec },
      status,
    } as never);
  }

  asks(method: string, path: string, uid?: string): this {
    const target = requestTarget(method, path);
    const watch = false;
    this.requests.push({
      ...target,
      at: 0,
      method,
      path,
      userAgent: "",
      watch,
      code: 200,
      ...(uid !== undefined && { uid }),
    });
    return this;
  }

  get broken(): string[] {
    return violations(this).map(({ invariant, text }) => `${invariant}: ${text}`);
  }
}

const story = () => new Story();

const stopped = [
  { type: "PodsReady", status: "False", reason: "Terminating" },
  { type: "Healthy", status: "False", reason: "Terminating" },
];
const terminating = {
  phase: "Terminating",
  conditions: [...stopped, { type: "NamespaceCreated", status: "True", reason: "Created" }],
};
const terminated = {
  phase: "Terminated",
  conditions: [
    ...stopped,
    { type: "NamespaceCreated", status: "False", reason: "Gone" },
    { type: "NamespaceDeleted", status: "True", reason: "Gone" },
  ],
};

const peaceful = () =>
  story()
    .instance({ phase: "Pending", instanceId: "id-1", startedAt: "t0" }, { type: "added" })
    .namespace()
    .policy()
    .pod()
    .instance({ phase: "Running", instanceId: "id-1", startedAt: "t0" })
    .asks("DELETE", "/api/v1/namespaces/challenge-1", "namespace-1")
    .instance({ ...terminating, instanceId: "id-1", startedAt: "t0", terminationReason: "Timeout" })
    .pod({}, { type: "deleted" })
    .policy("deleted")
    .namespace(marks, "deleted")
    .instance({ ...terminated, instanceId: "id-1", startedAt: "t0", terminationReason: "Timeout" })
    .instance({ ...terminated, instanceId: "id-1", startedAt: "t0" }, { type: "deleted" });

test("a life as it should be breaks nothing, in whatever order the watches bring it", () => {
  expect(peaceful().broken).toEqual([]);
  const shuffled = peaceful();
  shuffled.changes.reverse();
  expect(shuffled.broken).toEqual([]);
});

describe("I1 ownership is broken by", () => {
  const path = "/api/v1/namespaces/challenge-1";
  const ending = { terminationReason: "Timeout" };
  test.each([
    ["a delete that names no UID", story().instance(ending).namespace().asks("DELETE", path), "names no UID"],
    [
      "a delete of what has no mark",
      story().instance(ending).namespace({}).asks("DELETE", path, "namespace-1"),
      "our mark",
    ],
    [
      "a delete of what belongs to no instance",
      story().instance(ending, { uid: "other" }).namespace().asks("DELETE", path, "namespace-1"),
      "never was",
    ],
    [
      "a delete of the namespace of an instance that lives",
      story().instance({ phase: "Running" }).namespace().asks("DELETE", path, "namespace-1"),
      "never asked to end",
    ],
    [
      "a delete of everything in a namespace of others",
      story().namespace({}).asks("DELETE", `${path}/pods`),
      "does not carry our mark",
    ],
  ])("%s", (_, told, want) => {
    expect(told.broken).toEqual([expect.stringMatching(`^I1 ownership: .*${want}`)]);
  });

  test("nothing, where deletes name what is ours", () => {
    const told = story()
      .instance({ phase: "Running" })
      .namespace()
      .pod({})
      .policy()
      .asks("DELETE", `${path}/pods/web`, "pod-1");
    told.asks("DELETE", "/apis/berg.norelect.ch/v1/namespaces/berg/challengeinstances/instance-1", "instance-1");
    told.asks("DELETE", `${path}/pods`).hasPolicies = false;
    expect(told.broken).toEqual([]);
  });
});

test("I2 is broken by what stays after its instance, and not while there is still time", () => {
  const told = story().instance({}, { type: "deleted" }).namespace();
  told.now = 16_000;
  expect(told.broken).toEqual([]);
  told.now = 16_001;
  expect(told.broken).toEqual([expect.stringContaining("I2 no orphan: namespaces challenge-1 stayed for 15 s")]);
});

describe("I3 uniqueness is broken by", () => {
  test("two instances of one owner that both run", () => {
    const told = story().instance({ phase: "Running" }).instance({ phase: "Creating" }, { uid: "instance-2" });
    expect(told.broken).toEqual([
      expect.stringMatching("^I3 uniqueness: at revision 2 .*instance-1 and .*instance-2 both hold"),
    ]);
  });

  test("a namespace that changes hands", () => {
    const told = story()
      .namespace()
      .namespace({ ...marks, "berg.norelect.ch/instance-uid": "instance-2" }, "updated");
    expect(told.broken).toEqual([
      expect.stringContaining("I3 uniqueness: at revision 2 namespaces challenge-1 went from"),
    ]);
  });

  test("nothing, where the other one waits, is over, or is another owner's", () => {
    const told = story().instance({ phase: "Running" });
    told.instance({ phase: "Failed" }, { uid: "instance-2" }).instance({ phase: "Pending" }, { uid: "instance-3" });
    told.instance({ phase: "Running" }, { uid: "instance-4", spec: { ownerId: "owner-2" } });
    expect(told.broken).toEqual([]);
  });
});

describe("I4 immutability is broken by", () => {
  const begun = { phase: "Running", instanceId: "id-1", startedAt: "t0", expiresAt: "t1" };
  test.each([
    ["a second id", { instanceId: "id-2" }, "instanceId went from id-1 to id-2"],
    ["no id any more", { instanceId: undefined }, "instanceId went from id-1 to undefined"],
    ["a second start", { startedAt: "t9" }, "startedAt went from t0 to t9"],
    ["time from nowhere", { expiresAt: "t9" }, "expiresAt went from t1 to t9"],
    ["time that its history tells otherwise", { expiresAt: "t9", history: [{ expiresAt: "t2" }] }, "expiresAt went"],
  ])("%s", (_, change, want) => {
    expect(
      story()
        .instance(begun)
        .instance({ ...begun, ...change }).broken,
    ).toEqual([expect.stringContaining(want)]);
  });

  test("nothing, where its history tells why", () => {
    const renewed = { ...begun, expiresAt: "t9", history: [{ expiresAt: "t1" }, { expiresAt: "t9" }] };
    expect(story().instance(begun).instance(renewed).broken).toEqual([]);
  });
});

describe("I5 flag secrecy is broken by a flag in", () => {
  const escaped = JSON.stringify(flag).slice(1, -1);
  const base64 = (before: string) => Buffer.from(`${before}${flag}.`).toString("base64");
  const told = (resource: string, object: object) =>
    story()
      .instance()
      .and("added", resource, { metadata: { name: "x", uid: "x" }, ...object } as never).broken;

  test.each([
    [
      "a condition",
      "challengeinstances",
      { kind: "ChallengeInstance", spec: {}, status: { conditions: [{ message: flag }] } },
    ],
    ["an event", "events", { kind: "Event", message: `pulled ${flag}` }],
    ["a label", "services", { kind: "Service", metadata: { name: "x", uid: "x", labels: { a: flag } } }],
    [
      "managedFields",
      "services",
      { kind: "Service", metadata: { name: "x", uid: "x", managedFields: [{ fieldsV1: { [`v:"${escaped}"`]: {} } }] } },
    ],
    [
      "last-applied",
      "challengeinstances",
      {
        kind: "ChallengeInstance",
        spec: { flag },
        metadata: { name: "x", uid: "x", annotations: { a: JSON.stringify({ flag }) } },
      },
    ],
    ["a ConfigMap that is not for it", "configmaps", { kind: "ConfigMap", data: { a: flag } }],
    ["a Secret that is not for it", "secrets", { kind: "Secret", data: { a: base64("") } }],
    ["a Secret, later", "secrets", { kind: "Secret", data: { a: base64("x") } }],
    ["a Secret, later still", "secrets", { kind: "Secret", data: { a: base64("xy") } }],
    ["a command", "pods", { kind: "Pod", spec: { containers: [{ name: "a", command: ["sh", "-c", flag] }] } }],
    ["the name of a variable", "pods", { kind: "Pod", spec: { containers: [{ name: "a", env: [{ name: flag }] }] } }],
    [
      "an annotation of a template",
      "deployments",
      { kind: "Deployment", spec: { template: { metadata: { a: flag }, spec: {} } } },
    ],
    ["a URL", "events", { kind: "Event", message: encodeURIComponent(flag) }],
    ["hex", "events", { kind: "Event", message: Buffer.from(flag).toString("hex") }],
  ])("%s", (_, resource, object) => {
    expect(told(resource, object)).toEqual([expect.stringContaining("I5 flag secrecy: a flag (")]);
  });

  test.each([
    [
      "the environment of a Pod",
      "pods",
      { kind: "Pod", spec: { containers: [{ env: [{ name: "FLAG", value: flag }] }] } },
    ],
    [
      "the environment of a Deployment",
      "deployments",
      { kind: "Deployment", spec: { template: { spec: { containers: [{ env: [{ name: "FLAG", value: flag }] }] } } } },
    ],
    [
      "its file",
      "configmaps",
      {
        kind: "ConfigMap",
        metadata: { name: "x", uid: "x", labels: { "app.kubernetes.io/component": "flag-content" } },
        data: { flag },
      },
    ],
  ])("nothing, where it is in %s", (_, resource, object) => {
    expect(told(resource, object)).toEqual([]);
  });

  test("the log", () => {
    const said = story().instance();
    said.output.push(JSON.stringify({ message: "cannot start", object: { spec: { flag } } }));
    expect(said.broken).toEqual([expect.stringContaining("I5 flag secrecy: a flag (escaped) is in the output")]);
  });
});

describe("I6 policy before pods is broken by", () => {
  test("a pod before its policy", () => {
    expect(story().namespace().pod().policy().broken).toEqual([
      "I6 policy before pods: at revision 2 pods challenge-1/web is there and its network policy is not",
    ]);
  });

  test("a pod that only a policy of others covers", () => {
    const metadata = { namespace: "challenge-1", name: "policy", uid: "policy-1" };
    const told = story().namespace().and("added", "networkpolicies", { kind: "NetworkPolicy", metadata }).pod();
    expect(told.broken).toEqual([expect.stringContaining("I6 policy before pods: at revision 3")]);
  });

  test("a policy that goes before its pod, unless that has ended", () => {
    const begun = () => story().namespace().policy().pod();
    expect(begun().policy("deleted").broken).toEqual([expect.stringContaining("I6 policy before pods: at revision 4")]);
    expect(
      begun()
        .pod({}, { type: "updated", status: { phase: "Succeeded" } })
        .policy("deleted").broken,
    ).toEqual([]);
  });

  test("nothing, where a policy or its pod is missing from a new list, and nobody saw which went first", () => {
    const begun = () => story().namespace().policy().pod();
    const missed = (told: Story) => {
      Object.assign(told.changes.at(-1) ?? {}, { isMissed: true });
      return told.broken;
    };
    expect(missed(begun().policy("deleted"))).toEqual([]);
    expect(missed(begun().policy("deleted").pod({}, { type: "deleted" }))).toEqual([]);
  });

  test("nothing, in namespaces of others, or where the organiser wants no policies", () => {
    expect(story().namespace({}).pod().broken).toEqual([]);
    const free = story().namespace().pod();
    free.hasPolicies = false;
    expect(free.broken).toEqual([]);
  });
});

test.each([
  ["Running", "Starting"],
  ["Running", "Pending"],
  ["Starting", "Creating"],
  ["Terminating", "Running"],
  ["Terminating", "Failed"],
  ["Terminated", "Pending"],
  ["Terminated", undefined],
])("I7 monotone phases is broken by %s → %s", (from, to) => {
  const begun: object = { Terminating: terminating, Terminated: terminated }[from] ?? { phase: from };
  expect(story().instance(begun).instance({ phase: to }).broken).toEqual([
    `I7 monotone phases: at revision 2 challengeinstances berg/instance-1 went from ${from} to ${to}`,
  ]);
});

const condition = (type: string, status: string, reason?: string) => ({ type, status, reason });

test.each([
  ["a healthy instance that terminates", terminating, condition("Healthy", "True", "Ready"), "Healthy is True/Ready"],
  [
    "pods whose state is unknown",
    terminated,
    condition("PodsReady", "Unknown", "WaitingForPods"),
    "PodsReady is Unknown/WaitingForPods",
  ],
  ["another reason", terminating, condition("Healthy", "False", "Evicted"), "Healthy is False/Evicted"],
  ["a namespace that is there", terminated, condition("NamespaceCreated", "True"), "NamespaceCreated is True"],
  ["routes that may be there", terminated, condition("RoutesCreated", "Unknown"), "RoutesCreated is Unknown"],
  ["a namespace that is left", terminated, condition("NamespaceDeleted", "False"), "NamespaceDeleted is not True"],
])("I11 consistent end is broken by %s", (_, { phase, conditions }, wrong, text) => {
  const others = conditions.filter(({ type }) => type !== wrong.type);
  expect(story().instance({ phase, conditions: [...others, wrong] }).broken).toEqual([
    `I11 consistent end: at revision 1 challengeinstances berg/instance-1 is ${phase}, but ${text}`,
  ]);
});

test("I11 consistent end is broken by services of an instance that terminates", () => {
  expect(story().instance({ ...terminating, services: [] }).broken).toEqual([
    "I11 consistent end: at revision 1 challengeinstances berg/instance-1 is Terminating, but has status.services",
  ]);
});

test.each([
  ["labels", {}],
  ["labels", { "stranger.example.com/a": "changed" }],
  ["annotations", {}],
])("I9 is broken by a stranger's %s that becomes %o", (field, after) => {
  const object = (values: object) => ({ kind: "Service", metadata: { name: "web", uid: "web", [field]: values } });
  const told = story().and("added", "services", object({ "stranger.example.com/a": "1", ours: "1" }));
  told.and("updated", "services", object(after));
  expect(told.broken).toEqual([
    `I9 others' fields survive: at revision 2 services web lost stranger.example.com/a from its ${field}`,
  ]);
});

test.each([
  ["hostNetwork", { hostNetwork: true }],
  ["hostPID", { hostPID: true }],
  ["hostIPC", { hostIPC: true }],
  ["the token of a service account", { automountServiceAccountToken: undefined }],
  ["a hostPath volume, root", { volumes: [{ name: "root", hostPath: { path: "/" } }] }],
  ["a privileged container, web", { containers: [{ name: "web", securityContext: { privileged: true } }] }],
  ["a port of the node, in web", { containers: [{ name: "web", ports: [{ hostPort: 22 }] }] }],
])("I10 no escalation is broken by %s", (way, spec) => {
  expect(story().namespace().policy().pod(spec).broken).toEqual([
    `I10 no escalation: at revision 3 pods challenge-1/web has ${way}`,
  ]);
});
