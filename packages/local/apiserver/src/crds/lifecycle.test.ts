import { expect, test } from "vitest";
import type { DefinitionDraft, StoredDefinition } from "./definition.ts";
import { definitionStrategy } from "./definition-strategy.ts";
import { cleanupFinalizer, nextStep } from "./lifecycle.ts";
import { definition } from "./testing/definitions.ts";

const moment = { now: 0, random: () => 0, newestAll: () => [] };
const now = Date.parse("2024-01-01T00:00:00Z");
const time = "2024-01-01T00:00:00Z";

function made(crd: DefinitionDraft): StoredDefinition {
  definitionStrategy.fillIn?.(crd);
  definitionStrategy.prepare?.(crd, undefined, moment);
  return crd as StoredDefinition;
}

function settled(crd: StoredDefinition, all: StoredDefinition[] = []): StoredDefinition {
  const step = nextStep(crd, { all, hasObjects: false, now });
  return step.do === "write status" ? { ...crd, status: step.status } : crd;
}

const said = ({ status }: StoredDefinition) =>
  status?.conditions?.map(({ type, status, reason }) => `${type}=${status} ${reason}`);

test("a definition gets its names and is established, once", () => {
  const crd = settled(made(definition("apples")));
  expect(crd.status).toEqual({
    acceptedNames: { plural: "apples", singular: "apple", kind: "Apple", listKind: "AppleList" },
    conditions: [
      {
        type: "NamesAccepted",
        status: "True",
        reason: "NoConflicts",
        message: "no conflicts found",
        lastTransitionTime: time,
      },
      {
        type: "Established",
        status: "True",
        reason: "InitialNamesAccepted",
        message: "the initial names have been accepted",
        lastTransitionTime: time,
      },
    ],
    storedVersions: ["v1"],
  });
  expect(nextStep(crd, { all: [crd], hasObjects: false, now: now + 1000 })).toEqual({ do: "nothing" });
});

test("a name that another one holds is not given, until that one is gone", () => {
  const apples = settled(made(definition("apples")));
  const pears = settled(made(definition("pears", { names: { plural: "pears", kind: "Apple" } })), [apples]);
  expect(said(pears)).toEqual(["NamesAccepted=False ListKindConflict", "Established=False NotAccepted"]);
  expect(pears.status?.acceptedNames).toEqual({ plural: "pears", kind: "" });
  expect(said(settled(pears, []))).toEqual(["NamesAccepted=True NoConflicts", "Established=True InitialNamesAccepted"]);
});

test("another group may use the same names", () => {
  const apples = settled(made(definition("apples")));
  const others = settled(made(definition("apples", { group: "other.test" })), [apples]);
  expect(said(others)).toContain("Established=True InitialNamesAccepted");
});

test("what is established stays so when it asks for a taken name, and keeps the one it has", () => {
  const apples = settled(made(definition("apples")));
  const pears = settled(made(definition("pears")), [apples]);
  const renamed = { ...pears, spec: { ...pears.spec, names: { ...pears.spec.names, singular: "apple" } } };
  const after = settled(renamed, [apples]);
  expect(said(after)).toEqual(["NamesAccepted=False SingularConflict", "Established=True InitialNamesAccepted"]);
  expect(after.status?.acceptedNames?.singular).toBe("pear");
});

test("a community group says whether it was approved", () => {
  const annotations = { "api-approved.kubernetes.io": "https://example.com/1" };
  expect(said(settled(made(definition("apples", { group: "x.k8s.io" }, annotations))))).toContain(
    "KubernetesAPIApprovalPolicyConformant=True ApprovedAnnotation",
  );
});

test("when it is deleted its objects go first", () => {
  const crd = settled(made(definition("apples")));
  const going = { ...crd, metadata: { ...crd.metadata, deletionTimestamp: time, finalizers: [cleanupFinalizer] } };
  const first = nextStep(going, { all: [], hasObjects: true, now });
  expect(first).toMatchObject({
    do: "write status",
    status: { conditions: [{}, {}, { reason: "InstanceDeletionInProgress" }] },
  });
  const told = { ...going, status: (first as { status: object }).status } as StoredDefinition;
  expect(nextStep(told, { all: [], hasObjects: true, now })).toEqual({ do: "delete its objects" });
  const last = nextStep(told, { all: [], hasObjects: false, now });
  expect(last).toMatchObject({
    do: "remove finalizer",
    status: { conditions: [{}, {}, { status: "False", reason: "InstanceDeletionCompleted" }] },
  });
  const free = { ...told, metadata: { ...told.metadata, finalizers: [] } };
  expect(nextStep(free, { all: [], hasObjects: false, now })).toEqual({ do: "nothing" });
});

test("one that was never established has no objects to wait for", () => {
  const crd = made(definition("apples"));
  const going = { ...crd, metadata: { ...crd.metadata, deletionTimestamp: time, finalizers: [cleanupFinalizer] } };
  expect(nextStep(going, { all: [], hasObjects: true, now })).toMatchObject({
    do: "remove finalizer",
    status: { conditions: [{ reason: "NeverEstablished" }] },
  });
});
