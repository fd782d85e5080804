import { findCondition } from "@berg/kube";
import type { KubeconfigRequestStatus } from "@berg/resources";
import { expect, test } from "vitest";
import { annotations } from "../vocabulary.ts";
import type { Seen } from "./seen.ts";
import * as statuses from "./status/status.ts";
import { at, issuedStatus, makeRequest, makeSeen, now } from "./testing/make-seen.ts";
import { unreachable } from "./trouble.ts";

function revoking(status: KubeconfigRequestStatus, seen: Partial<Seen> = {}): Seen {
  return makeSeen({ request: makeRequest({ annotations: { [annotations.revoke]: "true" }, status }), ...seen });
}
const conditionOf = (status: KubeconfigRequestStatus, type: string) => findCondition(status.conditions, type);

test("what has expired out of reach is said to be revoked once, and stays so while it is cleaned up", () => {
  const first = statuses.troubled(revoking(issuedStatus(4000)), unreachable);
  expect(conditionOf(first, "Revoked")).toMatchObject({ status: "True", reason: "Expired", lastTransitionTime: at(0) });
  const later = { now: now + 600_000 };
  expect(statuses.troubled(revoking(first, later), unreachable)).toEqual(first);
  const withdrawn = statuses.withdrawn(revoking(first, later));
  expect([withdrawn.phase, conditionOf(withdrawn, "Revoked")]).toEqual(["Revoked", conditionOf(first, "Revoked")]);
  const done = statuses.revoked(revoking(withdrawn, later));
  expect(conditionOf(done, "Revoked")).toMatchObject({ status: "True", reason: "Revoked", lastTransitionTime: at(0) });
});

test("what was to be made useless before its end, and was not, counts until its end", () => {
  const former = { epoch: 1, until: at(-600), expirationTimestamp: at(60) };
  const status = issuedStatus(4000, { epoch: 2, retiring: [former] });
  const revoked = (now: number) => conditionOf(statuses.troubled(revoking(status, { now }), unreachable), "Revoked");
  expect(revoked(now)).toMatchObject({ status: "False", reason: "TargetUnreachable" });
  expect(revoked(now + 60_000)).toMatchObject({ status: "True", reason: "Expired" });
});

test("a copy that stays is said, with the fix, and nothing changes while it stays", () => {
  const expired = revoking(issuedStatus(4000));
  const first = statuses.copyStays(expired, statuses.troubled(expired, unreachable));
  expect(first).toMatchObject({ phase: "Revoking", secretRef: { name: "reader-kubeconfig" } });
  expect(conditionOf(first, "Revoked")).toMatchObject({ status: "False", reason: "SecretsForbidden" });
  expect(conditionOf(first, "Revoked")?.message).toContain("deploy/clusters/namespace-secrets.yaml");
  const later = revoking(first, { now: now + 600_000 });
  expect(statuses.copyStays(later, statuses.troubled(later, unreachable))).toEqual(first);
});

test("with the Cluster gone it is said how long what was issued lasts, and for a Shoot that is gone that it does not", () => {
  const left = statuses.revokedWithCluster(revoking(issuedStatus(), { cluster: undefined, gone: "cluster" }));
  expect(left).toMatchObject({ phase: "Revoking", expirationTimestamp: at(3600) });
  expect(conditionOf(left, "Revoked")).toMatchObject({ status: "False", reason: "ClusterGone" });
  expect(conditionOf(left, "Revoked")?.message).toContain("until expirationTimestamp");
  const gone = statuses.revokedWithCluster(revoking(issuedStatus(), { gone: "shoot" }));
  expect(conditionOf(gone, "Revoked")).toMatchObject({ status: "True", reason: "ClusterGone" });
});

test("refused rules: what was issued before works until its end, and then nothing says that it does", () => {
  const refuse = (status: KubeconfigRequestStatus) =>
    statuses.refused(makeSeen({ request: makeRequest({ status }) }), "InvalidRules", "");
  expect(refuse(issuedStatus())).toMatchObject({ phase: "Failed", secretRef: { key: "kubeconfig" } });
  const over = refuse(issuedStatus(4000));
  expect([over.secretRef, conditionOf(over, "Issued")?.reason]).toEqual([undefined, "Expired"]);
});

test("one that is lifted again says nothing of having been revoked, also while the target is away", () => {
  const revoked = statuses.troubled(revoking(issuedStatus(4000)), unreachable);
  const lifted = statuses.troubled(makeSeen({ request: makeRequest({ status: revoked }) }), unreachable);
  expect([lifted.phase, conditionOf(lifted, "Revoked")]).toEqual(["Pending", undefined]);
});
