import type { ClusterStatus, KubeconfigRequestStatus } from "@berg/resources";
import { describe, expect, test } from "vitest";
import { annotations } from "../vocabulary.ts";
import { decide } from "./decide.ts";
import { issuedFor, type Seen } from "./seen.ts";
import {
  at,
  issuedStatus,
  makeBrought,
  makeCluster,
  makeRequest,
  makeSeen,
  makeShoot,
  now,
  type RequestParts,
} from "./testing/make-seen.ts";

const asked = (what: "rotate" | "revoke" | "rotated", value = "true") => ({ [annotations[what]]: value });
/** `issue due`, `wait`, `write Pending`, … */
function next(request: RequestParts, seen: Partial<Seen> = {}): string {
  const step = decide(makeSeen({ request: makeRequest(request), ...seen }));
  if (step.do === "issue") return `issue ${step.cause}`;
  return "status" in step ? `${step.do} ${step.status.phase}` : step.do;
}
const gone = { cluster: undefined, shoot: undefined, gone: "cluster" as const };
const unacceptable = { clusterRole: { rules: [{ verbs: [] }] } };
const noNamespace = { type: "RBACReady", status: "False" as const, reason: "NamespaceMissing", message: "" };
function withoutCopy({ secretRef: _, ...status }: KubeconfigRequestStatus): KubeconfigRequestStatus {
  return status;
}
function broughtIssued(status: ClusterStatus): RequestParts {
  return { status: issuedStatus(0, { issuedFor: issuedFor(makeSeen(broughtAs(status))) ?? "" }) };
}
const revoking = issuedStatus(0, { phase: "Revoking" });
const away = { cluster: undefined, shoot: undefined, doubt: true };
const replaced = { epoch: 2, retiring: [{ epoch: 1, until: at(3000) }] };
/** A rotation that was asked for is answered, and the one before is good until then. */
const answered = (until: string) => ({ epoch: 2, lastRotationRequest: "2", retiring: [{ epoch: 1, until }] });
/** The same, and the annotation was taken off. */
const ended = { epoch: 2, lastRotationRequest: "2", lastRotationEnded: "2" };
const taken = (until: string) => ({ ...answered(until), ...ended });
const theirs = { apiServerURL: "https://theirs.example" };
const broughtAs = (status: ClusterStatus) => ({ cluster: makeBrought(status), shoot: undefined });

describe("while access is wanted", () => {
  test.each<[string, string, RequestParts, Partial<Seen>?]>([
    ["our finalizer first", "hold", { isHeld: false }],
    ["no Cluster: the server is asked", "confirm", {}, away],
    ["no Cluster: it is said", "write Pending", {}, gone],
    ["no Cluster any more: the copy goes", "withdraw Pending", { status: issuedStatus() }, gone],
    ["a Cluster that is not ready", "write Pending", {}, { cluster: makeCluster({ isReady: false }) }],
    ["what will be made is written down first", "write Pending", {}],
    ["then the first", "issue first", { status: { serviceAccount: "a/b" } }],
    ["it is settled", "wait", { status: issuedStatus() }],
    ["due", "issue due", { status: issuedStatus(2900) }],
    ["not due yet", "wait", { status: issuedStatus(2500) }],
    ["expired", "issue due", { status: issuedStatus(4000) }],
    ["our clock was set back", "issue due", { status: issuedStatus(-60) }],
    ["a target's clock is a little ahead", "wait", { status: issuedStatus(-20) }],
    ["lifted before it was revoked: it is said first", "write Pending", { status: withoutCopy(revoking) }],
    ["the same, and the copy could not be taken away", "write Pending", { status: revoking }],
    ["then the next", "issue first", { status: withoutCopy({ ...revoking, phase: "Pending" }) }],
    ["then the next, whatever is there still", "issue first", { status: { ...revoking, phase: "Pending" } }],
    ["its rights are not whole", "grant", { status: issuedStatus(0, { conditions: [noNamespace] }) }],
    [
      "its rights are not whole: a rotation comes to its end all the same",
      "endRotation",
      {
        annotations: asked("rotate"),
        status: issuedStatus(0, { epoch: 2, lastRotationRequest: "2", conditions: [noNamespace] }),
      },
    ],
    ["new rules: rights only", "grant", { generation: 2, status: issuedStatus() }],
    ["a shorter life", "issue shortened", { generation: 2, spec: { expiration: 600 }, status: issuedStatus() }],
    [
      "a longer life: at the next rotation",
      "grant",
      { generation: 2, spec: { expiration: 7200 }, status: issuedStatus() },
    ],
    ["put elsewhere", "issue changed", { generation: 2, spec: { output: "Status" }, status: issuedStatus() }],
    [
      "put elsewhere once more, too soon: rights only",
      "grant",
      { generation: 2, spec: { output: "Status" }, status: issuedStatus(9, replaced) },
    ],
    [
      "the same, after a while",
      "issue changed",
      { generation: 2, spec: { output: "Status" }, status: issuedStatus(10, replaced) },
    ],
    ["for others", "issue changed", { generation: 2, spec: { audiences: ["x"] }, status: issuedStatus() }],
    ["asked for", "issue asked", { annotations: asked("rotate"), status: issuedStatus() }],
    ["asked for with another word", "wait", { annotations: asked("rotate", "yes"), status: issuedStatus() }],
    [
      "asked for and answered: the annotation goes at once",
      "endRotation",
      { annotations: asked("rotate"), status: issuedStatus(0, answered(at(10))) },
    ],
    [
      "also before a target is asked for anything",
      "endRotation",
      { annotations: asked("rotate"), status: issuedStatus(0, answered(at(0))) },
      { cluster: makeCluster({ isReady: false }) },
    ],
    [
      "where it cannot be taken off, the one before goes all the same",
      "retire",
      { annotations: asked("rotate"), status: issuedStatus(0, answered(at(0))) },
      { isAnswerStuck: true },
    ],
    [
      "also where somebody else has taken it away",
      "endRotation",
      { status: issuedStatus(0, { epoch: 2, lastRotationRequest: "2" }) },
    ],
    [
      "the one before has its time",
      "write Rotating",
      { annotations: asked("rotated", "2"), status: issuedStatus(0, taken(at(10))) },
    ],
    ["then it goes", "retire", { annotations: asked("rotated", "2"), status: issuedStatus(0, taken(at(0))) }],
    [
      "then it is over",
      "write Issued",
      {
        annotations: asked("rotated", "2"),
        status: issuedStatus(0, { phase: "Rotating", ...ended }),
      },
    ],
    [
      "one that was replaced since in its own time is no rotation that was asked for",
      "wait",
      {
        annotations: asked("rotated", "2"),
        status: issuedStatus(0, { ...taken(at(90)), epoch: 3, retiring: [{ epoch: 2, until: at(90) }] }),
      },
    ],
    [
      "asked for once more",
      "issue asked",
      {
        annotations: { ...asked("rotate"), ...asked("rotated", "2") },
        status: issuedStatus(0, ended),
      },
    ],
    [
      "asked for once more while the one before has its time",
      "issue asked",
      { annotations: { ...asked("rotate"), ...asked("rotated", "2") }, status: issuedStatus(0, taken(at(10))) },
    ],
    [
      "asked for once more by somebody who has replaced all annotations",
      "issue asked",
      { annotations: asked("rotate"), status: issuedStatus(0, ended) },
    ],
    ["all annotations are gone, and nothing is asked for", "wait", { status: issuedStatus(0, ended) }],
    [
      "that the annotation was taken off is written down before anything is waited for",
      "write Issued",
      {
        annotations: asked("rotated", "2"),
        status: issuedStatus(0, { epoch: 2, lastRotationRequest: "2", lastRotationEnded: "1" }),
      },
      { cluster: makeCluster({ isReady: false }) },
    ],
    ["the copy is lost", "issue changed", { status: issuedStatus() }, { copyLost: true }],
    ["the copy is lost once more, too soon", "wait", { status: issuedStatus(9, replaced) }, { copyLost: true }],
    ["the same, after a while", "issue changed", { status: issuedStatus(10, replaced) }, { copyLost: true }],
    ["nobody may look at the copy", "write Issued", { status: issuedStatus() }, { secrets: "forbidden" }],
    ["nobody can tell yet how the copy is", "wait", { status: issuedStatus() }, { secrets: "none" }],
    [
      "the address has changed",
      "issue changed",
      { status: issuedStatus() },
      { shoot: makeShoot({ advertisedAddresses: [] }) },
    ],
    [
      "keys are being replaced",
      "issue changed",
      { status: issuedStatus() },
      { shoot: makeShoot({ credentials: { rotation: { serviceAccountKey: { phase: "Prepared" } } } }) },
    ],
    [
      "keys will be replaced",
      "wait",
      { status: issuedStatus() },
      { shoot: makeShoot({ credentials: { rotation: { serviceAccountKey: { phase: "Preparing" } } } }) },
    ],
    ["brought along, as it was", "wait", broughtIssued(theirs), broughtAs(theirs)],
    [
      "brought along, built anew at the same address",
      "issue changed",
      broughtIssued({ ...theirs, certificateAuthorityHash: "old" }),
      broughtAs({ ...theirs, certificateAuthorityHash: "new" }),
    ],
    [
      "brought along, with the keys that it had",
      "wait",
      broughtIssued({ ...theirs, certificateAuthorityHash: "old" }),
      broughtAs({ ...theirs, certificateAuthorityHash: "old" }),
    ],
    ["nobody knows of the Shoot: nothing is concluded", "wait", { status: issuedStatus() }, { shoot: undefined }],
    [
      "the Shoot is not shown: the server is asked",
      "confirm",
      { status: issuedStatus() },
      { shoot: undefined, doubt: true },
    ],
    ["the Shoot is gone", "withdraw Pending", { status: issuedStatus() }, { shoot: undefined, gone: "shoot" }],
    ["rules that RBAC cannot take", "write Failed", { spec: unacceptable }],
    ["the same, with what was issued before", "write Failed", { spec: unacceptable, status: issuedStatus() }],
    ["the same, after its end", "withdraw Failed", { spec: unacceptable, status: issuedStatus(4000) }],
    [
      "rules by which one can take more",
      "write Failed",
      { spec: { clusterRole: { rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }] } } },
    ],
    [
      "the same where it is allowed",
      "write Pending",
      { spec: { clusterRole: { rules: [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }] } } },
      { allowEscalating: true },
    ],
  ])("%s: %s", (_, want, request, seen) => {
    expect(next(request, seen)).toBe(want);
  });
});

describe("while it is revoked", () => {
  const revoke = { annotations: { ...asked("revoke"), ...asked("rotate") } };
  const deletedCluster = makeCluster({ deletedAt: at(-10) });
  test.each<[string, string, RequestParts, Partial<Seen>?]>([
    ["it beats a rotation", "revoke", { ...revoke, status: issuedStatus() }],
    ["nothing was issued", "write Revoked", revoke],
    [
      "the Cluster is gone, and the cluster may not be",
      "withdraw Revoking",
      { ...revoke, status: issuedStatus() },
      gone,
    ],
    ["the Cluster is gone, and all has expired", "withdraw Revoked", { ...revoke, status: issuedStatus(4000) }, gone],
    [
      "the Shoot is gone",
      "withdraw Revoked",
      { ...revoke, status: issuedStatus() },
      { shoot: undefined, gone: "shoot" },
    ],
    [
      "the Cluster is gone, and nobody knows whether anything was published",
      "withdraw Revoked",
      { ...revoke, status: { serviceAccount: "a/b" } },
      gone,
    ],
    ["the Cluster is not shown", "confirm", { ...revoke, status: issuedStatus() }, away],
    [
      "all of a Cluster",
      "revoke",
      { status: issuedStatus() },
      { cluster: makeCluster({ annotations: { [annotations.revokeAll]: "true" } }) },
    ],
    ["with its Cluster", "revoke", { status: issuedStatus() }, { cluster: deletedCluster }],
    ["with another word it is not", "wait", { annotations: asked("revoke", "True"), status: issuedStatus() }],
  ])("%s: %s", (_, want, request, seen) => {
    expect(next(request, seen)).toBe(want);
  });

  test("and nothing more is done when it is done", () => {
    const step = decide(makeSeen({ request: makeRequest(revoke) }));
    const status = step.do === "write" ? step.status : {};
    expect(next({ ...revoke, status })).toBe("wait");
    expect(next({ status })).toBe("write Pending");
  });
});

describe("while it is deleted", () => {
  const deletedAt = at(-5);
  test.each<[string, string, RequestParts, Partial<Seen>?]>([
    ["not held", "wait", { deletedAt, isHeld: false, status: issuedStatus() }],
    ["nothing was made", "letGo", { deletedAt }],
    ["everything is taken away", "revoke", { deletedAt, status: issuedStatus() }],
    ["the Cluster is not shown", "confirm", { deletedAt, status: issuedStatus() }, away],
    ["the Cluster is gone", "letGo", { deletedAt, status: issuedStatus() }, gone],
    ["the Shoot is gone", "letGo", { deletedAt, status: issuedStatus() }, { shoot: undefined, gone: "shoot" }],
  ])("%s: %s", (_, want, request, seen) => {
    expect(next(request, seen)).toBe(want);
  });
});

test("it waits for whatever comes first", () => {
  const status = issuedStatus(0, { retiring: [{ epoch: 7, until: at(90) }] });
  expect(decide(makeSeen({ request: makeRequest({ status }) }))).toEqual({ do: "wait", until: now + 90_000 });
});

test("that nobody may look at its copy is said once, looked at again, and unsaid", () => {
  const first = decide(makeSeen({ request: makeRequest({ status: issuedStatus() }), secrets: "forbidden" }));
  const status = first.do === "write" ? first.status : {};
  expect(status.conditions).toMatchObject([{ type: "Issued", status: "True", reason: "SecretsForbidden" }]);
  const request = makeRequest({ status });
  for (const secrets of ["forbidden", "none"] as const)
    expect(decide(makeSeen({ request, secrets }))).toEqual({ do: "wait", until: now + 60_000 });
  const last = decide(makeSeen({ request }));
  expect(last.do === "write" && last.status.conditions).toMatchObject([{ type: "Issued", reason: "Issued" }]);
});

test.each(["SecretNameTaken", "SecretRefused", "SecretsForbidden"])(
  "%s is unsaid when the copy is as it was published, and no sooner",
  (reason) => {
    const condition = { type: "Issued", status: "True", reason, message: "", lastTransitionTime: at(0) } as const;
    const status = issuedStatus(0, { epoch: 2, conditions: [condition], retiring: [{ epoch: 1, until: at(60) }] });
    const request = makeRequest({ status });
    expect(decide(makeSeen({ request, copyLost: true }))).toEqual({ do: "wait", until: now + 10_000 });
    const step = decide(makeSeen({ request }));
    expect(step.do === "write" && step.status.conditions).toMatchObject([{ status: "True", reason: "Issued" }]);
  },
);

test("refused rules are looked at again when what was issued before comes to its end", () => {
  const first = decide(makeSeen({ request: makeRequest({ spec: unacceptable, status: issuedStatus() }) }));
  const status = first.do === "write" ? first.status : {};
  const again = decide(makeSeen({ request: makeRequest({ spec: unacceptable, status }) }));
  expect(again).toEqual({ do: "wait", until: now + 3_600_000 });
});

test("of a Cluster that is gone, it is looked at again when what was issued has expired", () => {
  const annotations = asked("revoke");
  for (const parts of [{}, { annotations }]) {
    const first = decide(makeSeen({ request: makeRequest({ ...parts, status: issuedStatus() }), ...gone }));
    const status = first.do === "withdraw" ? first.status : {};
    const again = decide(makeSeen({ request: makeRequest({ ...parts, status }), ...gone }));
    expect(again).toEqual({ do: "wait", until: now + 3_600_000 });
    const later = { now: now + 3_600_000 };
    // By then there may be one more, of which the status does not tell.
    expect(next({ ...parts, status }, { ...gone, ...later })).toMatch(/^withdraw (Pending|Revoked)$/);
  }
});

test("the same where no copy has shown the Cluster since", () => {
  const first = decide(makeSeen({ request: makeRequest({ status: issuedStatus() }), ...gone }));
  const status = first.do === "withdraw" ? first.status : {};
  expect(next({ status }, { ...away, now: now + 3_600_000 })).toBe("withdraw Pending");
});

test("after a restart, what is overdue has its turn within a minute; what its owner asks for has it now", () => {
  const request = makeRequest({ status: issuedStatus(2900) });
  const step = decide(makeSeen({ request, startedAt: now }));
  expect(step).toMatchObject({ do: "wait" });
  expect(step.do === "wait" && step.until).toBeLessThanOrEqual(now + 60_000);
  expect(next({ annotations: asked("rotate"), status: issuedStatus(2900) }, { startedAt: now })).toBe("issue asked");
});

describe("rules with which a holder could keep access", () => {
  const spec = { clusterRole: { rules: [{ apiGroups: ["*"], resources: ["RoleBinding"], verbs: ["create"] }] } };
  const seenWith = (status: KubeconfigRequestStatus, more: Partial<Seen> = {}) =>
    makeSeen({ request: makeRequest({ spec, status }), ...more });

  test("granted before they were refused: the condition says why, and the kubeconfig is revoked before it expires", () => {
    const first = decide(seenWith(issuedStatus()));
    expect(first).toMatchObject({ do: "write", status: { phase: "Issued", secretRef: {} } });
    const { status } = first as { status: KubeconfigRequestStatus };
    const [told] = status.conditions ?? [];
    expect([told?.type, told?.status, told?.reason]).toEqual(["RulesAccepted", "False", "EscalatingRules"]);
    expect(decide(seenWith(status))).toEqual({ do: "revoke" });
    expect(decide(seenWith(status, { allowEscalating: true }))).not.toMatchObject({ do: "revoke" });
  });

  test("with nothing left of them the request has failed, until the spec changes", () => {
    const step = decide(seenWith({ phase: "Revoked", epoch: 1 }));
    expect(step).toMatchObject({ do: "write", status: { phase: "Failed" } });
    expect(decide(seenWith((step as { status: KubeconfigRequestStatus }).status))).toEqual({ do: "wait" });
  });
});
