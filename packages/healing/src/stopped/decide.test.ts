import { describe, expect, test } from "vitest";
import { at, epoch, makeInstance, makeNamespace } from "../testing/objects.ts";
import { decideRecord } from "./decide.ts";

const begun = { startedAt: at(5), namespace: "challenge-1", phase: "Creating" } as const;
const made = { conditions: [{ type: "NamespaceCreated", status: "True" as const }] };
const now = epoch + 60_000;
const life = {
  uid: "instance-1",
  instance: { namespace: "berg", name: "one" },
  namespace: "challenge-1",
  ownerId: "owner-1",
  challenge: "notes",
  startedAt: epoch + 5_000,
};

describe("the record", () => {
  test.each([
    { what: "is not opened before anybody has looked", status: {}, want: { do: "nothing" } },
    { what: "is not opened while it waits for a place", status: { startedAt: at(5) }, want: { do: "nothing" } },
    { what: "is opened when it starts", status: begun, want: { do: "live", life: { ...life, status: "STARTING" } } },
    {
      what: "runs when it has been ready",
      status: { ...begun, ...made, phase: "Running", readyAt: at(9) },
      namespace: makeNamespace(),
      want: { do: "live", life: { ...life, status: "RUNNING" } },
    },
    {
      what: "keeps the place until it expires",
      status: { ...begun, expiresAt: at(100) },
      want: { do: "live", life: { ...life, status: "STARTING", reservedUntil: epoch + 100_000 } },
    },
    {
      what: "stays open while it fails",
      status: { ...begun, ...made, phase: "Failed" },
      namespace: makeNamespace(),
      want: { do: "live", life: { ...life, status: "STARTING" } },
    },
    {
      what: "runs until its namespace goes",
      status: { ...begun, ...made, phase: "Terminating", readyAt: at(9) },
      namespace: makeNamespace(),
      want: { do: "live", life: { ...life, status: "RUNNING" } },
    },
    {
      what: "is not opened again where all was taken back",
      status: { ...begun, phase: "Failed", conditions: [{ type: "NamespaceCreated", status: "False" as const }] },
      want: { do: "ask" },
    },
    {
      what: "is not opened again while it waits for a place once more",
      status: { ...begun, phase: "Pending" },
      want: { do: "ask" },
    },
    {
      what: "is not opened again by the end of what was taken back",
      status: { ...begun, phase: "Terminating" },
      want: { do: "ask" },
    },
    {
      what: "is closed when the namespace goes, whatever else is said",
      status: { ...begun, ...made, phase: "Running" },
      namespace: makeNamespace({ deletionTimestamp: at(50) }),
      want: { do: "stop", at: epoch + 50_000 },
    },
    {
      what: "is closed when it has ended",
      status: { ...begun, phase: "Terminated", terminatedAt: at(40) },
      want: { do: "stop", at: epoch + 40_000 },
    },
    {
      what: "is closed now where nobody wrote when",
      status: { ...begun, phase: "Terminated" },
      want: { do: "stop", at: now },
    },
    {
      what: "is asked about where the namespace was made and is not seen",
      status: { ...begun, ...made, phase: "Running" },
      want: { do: "ask" },
    },
  ])("$what", ({ status, namespace, want }) => {
    expect(decideRecord(makeInstance(status as never), namespace, now)).toEqual(want);
  });
});
