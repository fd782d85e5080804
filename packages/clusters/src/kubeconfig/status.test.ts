import { findCondition } from "@berg/kube";
import type { KubeconfigRequestStatus } from "@berg/resources";
import { describe, expect, test } from "vitest";
import { annotations } from "../vocabulary.ts";
import { decide } from "./decide.ts";
import { shortHash } from "./names.ts";
import type { Seen } from "./seen.ts";
import * as statuses from "./status/status.ts";
import { at, issuedStatus, makeRequest, makeSeen, now } from "./testing/make-seen.ts";
import { unreachable } from "./trouble.ts";

function revoking(status: KubeconfigRequestStatus, seen: Partial<Seen> = {}): Seen {
  return makeSeen({ request: makeRequest({ annotations: { [annotations.revoke]: "true" }, status }), ...seen });
}
/** The cluster that it was issued for. */
const here = {
  server: "https://one.example",
  certificateAuthority: "ca",
  is: "same" as const,
  accounts: ["account-uid"],
  isAccountGone: false,
};
const conditionOf = (status: KubeconfigRequestStatus, type: string) => findCondition(status.conditions, type);

test("what has expired out of reach is said to be revoked once, and stays so while it is cleaned up", () => {
  const first = statuses.troubled(revoking(issuedStatus(4000)), unreachable);
  expect(conditionOf(first, "Revoked")).toMatchObject({ status: "True", reason: "Expired", lastTransitionTime: at(0) });
  const later = { now: now + 600_000 };
  expect(statuses.troubled(revoking(first, later), unreachable)).toEqual(first);
  const withdrawn = statuses.withdrawn(revoking(first, later), here);
  expect([withdrawn.phase, conditionOf(withdrawn, "Revoked")]).toEqual(["Revoked", conditionOf(first, "Revoked")]);
  const done = statuses.revoked(revoking(withdrawn, later));
  expect(conditionOf(done, "Revoked")).toMatchObject({ status: "True", reason: "Revoked", lastTransitionTime: at(0) });
});

test("what was cut off is not known by its account any more, and what is elsewhere is", () => {
  const former = (epoch: number, uid: string) => ({ epoch, until: at(3660), serviceAccountUid: uid });
  const status = issuedStatus(0, { epoch: 3, retiring: [former(1, "their-uid"), former(2, "account-uid")] });
  const after = (is: "same" | "other") => {
    const { serviceAccountUid, retiring } = statuses.withdrawn(revoking(status), {
      ...here,
      is,
      accounts: is === "same" ? here.accounts : ["another-uid"],
    });
    return [serviceAccountUid, retiring?.map(({ epoch }) => epoch)];
  };
  expect(after("same")).toEqual([undefined, [1]]);
  expect(after("other")).toEqual(["account-uid", [1, 2]]);
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
  expect(conditionOf(left, "Revoked")?.message).toContain("until it expires (expirationTimestamp");
  const gone = statuses.revokedWithCluster(revoking(issuedStatus(), { gone: "shoot" }));
  expect(conditionOf(gone, "Revoked")).toMatchObject({ status: "True", reason: "ClusterGone" });
});

test("with a Shoot that is gone, what was issued for another one before it counts until it expires", () => {
  const former = { epoch: 1, until: at(660), expirationTimestamp: at(600), serviceAccountUid: "their-uid" };
  const status = issuedStatus(0, { epoch: 2, retiring: [former] });
  const say = (now: number) => statuses.revokedWithCluster(revoking(status, { gone: "shoot", now }));
  expect(say(now)).toMatchObject({ phase: "Revoking", retiring: [former] });
  expect(conditionOf(say(now), "Revoked")).toMatchObject({ status: "False", reason: "ClusterGone" });
  expect(conditionOf(say(now + 600_000), "Revoked")).toMatchObject({ status: "True", reason: "ClusterGone" });
  const wanted = makeSeen({ request: makeRequest({ status }), gone: "shoot" });
  for (const seen of [wanted, { ...wanted, gone: undefined, doubt: true }])
    expect(statuses.withoutCluster(seen, "ShootMissing", "").retiring).toEqual([former]);
});

test("refused rules: what was issued before works until its end, and then nothing says that it does", () => {
  const refuse = (status: KubeconfigRequestStatus) =>
    statuses.refused(makeSeen({ request: makeRequest({ status }) }), "InvalidRules", "");
  expect(refuse(issuedStatus())).toMatchObject({ phase: "Failed", secretRef: { key: "kubeconfig" } });
  const over = refuse(issuedStatus(4000));
  expect([over.secretRef, conditionOf(over, "Issued")?.reason]).toEqual([undefined, "Expired"]);
});

test("with the kubeconfig in the status, a Secret from before is known until it is gone", () => {
  const request = makeRequest({ spec: { output: "Status" }, status: issuedStatus() });
  expect(statuses.settled(makeSeen({ request })).secretRef).toBeDefined();
  const both = makeRequest({ spec: { output: "Status" }, status: issuedStatus(0, { kubeconfig: "eA==" }) });
  const settled = statuses.settled(makeSeen({ request: both }));
  expect([settled.secretRef, settled.kubeconfig]).toEqual([undefined, "eA=="]);
  const stays = statuses.copyStays(makeSeen({ request: both }), settled);
  expect([stays.secretRef?.name, conditionOf(stays, "Issued")?.status]).toEqual(["reader-kubeconfig", "True"]);
});

describe("more were replaced than the status has room for", () => {
  const reached = { ...here, server: "https://b", certificateAuthority: "b", accounts: ["b"] };
  const place = (name: string) => ({
    server: `https://${name}`,
    serviceAccountUid: name,
    certificateAuthorityHash: shortHash(name),
  });
  // The first of those here was issued when they lived longer.
  const former = (epoch: number, name: string) => ({
    epoch,
    until: at(epoch === 21 ? 86_460 : 3060 + epoch),
    expirationTimestamp: at(epoch === 21 ? 86_400 : 3000 + epoch),
    ...place(name),
  });
  const full = (elsewhere: number) =>
    makeRequest({
      status: issuedStatus(60, {
        ...place("b"),
        epoch: 33,
        retiring: Array.from({ length: 32 }, (_, at) => former(at + 1, at < elsewhere ? "a" : "b")),
      }),
    });

  test("those that work elsewhere are never forgotten, and of the others those are that end first", () => {
    const life = { issuedAt: now, expiresAt: now + 3_600_000 };
    const issue = { epoch: 34, life, ...place("b"), credentialHash: "x", anchorUid: "x", answersRotation: false };
    const grant = {
      unknown: [],
      missingNamespace: undefined,
      codeRunsIn: undefined,
      renamed: [],
      readsAllSecrets: false,
    };
    const seen = makeSeen({ request: full(20) });
    const { retiring = [] } = statuses.issued(seen, grant, "due", issue, reached, undefined);
    const left = Array.from({ length: 20 }, (_, at) => at + 1);
    const here = [21, ...Array.from({ length: 11 }, (_, at) => at + 23)];
    expect(retiring.map(({ epoch }) => epoch)).toEqual([...left, ...here]);
    expect(retiring.slice(0, 20)).toEqual(full(20).status?.retiring?.slice(0, 20));
    const told = statuses.told(full(20), former(34, "c")).retiring ?? [];
    expect(told.map(({ epoch }) => epoch)).toEqual([...left, ...here.slice(0, -1), 34]);
  });

  test("where all of them work elsewhere, none is issued", () => {
    expect([statuses.isFull(full(30), reached), statuses.isFull(full(31), reached)]).toEqual([false, true]);
    const told = statuses.told(full(31), former(34, "c")).retiring ?? [];
    expect([told.length, told.at(-1)?.epoch]).toEqual([32, 34]);
  });
});

test("one that was published for the address that the cluster had before is known by that, and replaced", () => {
  const life = { issuedAt: now, expiresAt: now + 3_600_000 };
  const place = { server: "https://one.example", certificateAuthorityHash: shortHash("ca") };
  const uid = "account-uid";
  const issue = { epoch: 2, life, ...place, serviceAccountUid: uid, credentialHash: "x", anchorUid: "x" };
  const grant = {
    unknown: [],
    missingNamespace: undefined,
    codeRunsIn: undefined,
    renamed: [],
    readsAllSecrets: false,
  };
  const next = (server: string) => {
    const reached = { ...here, server, is: "moved" as const };
    const seen = makeSeen({ request: makeRequest({ status: issuedStatus() }) });
    const status = statuses.issued(seen, grant, "due", { ...issue, answersRotation: false }, reached, undefined);
    return [status.server, decide(makeSeen({ request: makeRequest({ status }), now: now + 20_000 })).do];
  };
  expect(next("https://one.example")).toEqual(["https://one.example", "wait"]);
  expect(next("https://moved.example")).toEqual(["https://one.example", "issue"]);
});

test("one that is lifted again says nothing of having been revoked, also while the target is away", () => {
  const revoked = statuses.troubled(revoking(issuedStatus(4000)), unreachable);
  const lifted = statuses.troubled(makeSeen({ request: makeRequest({ status: revoked }) }), unreachable);
  expect([lifted.phase, conditionOf(lifted, "Revoked")]).toEqual(["Pending", undefined]);
});

test("as what rules were granted, and that they read Secrets everywhere, is said", () => {
  const grant = {
    unknown: [],
    missingNamespace: undefined,
    codeRunsIn: undefined,
    renamed: [],
    readsAllSecrets: false,
  };
  const told = (more: { renamed: string[]; readsAllSecrets: boolean }) =>
    conditionOf(statuses.granted(makeSeen(), { ...grant, ...more }), "RulesAccepted")?.message;
  expect(told({ renamed: [], readsAllSecrets: false })).toBe("The rules can be granted");
  const both = told({ renamed: ["v1 as the core group", "Pod as pods"], readsAllSecrets: true });
  expect(both).toContain("The rules can be granted. With these rules a holder reads the tokens, passwords and keys");
  expect(both).toContain(". Granted as RBAC has it: v1 as the core group, Pod as pods");
});
