import { refusal } from "@berg/kube/testing";
import { beforeEach, describe, expect, test } from "vitest";
import type { Caches } from "../observe/caches.ts";
import { OpenRecords } from "../observe/open-records.ts";
import { MemoryRecords } from "../testing/memory-records.ts";
import { at, epoch, makeInstance, makeNamespace } from "../testing/objects.ts";
import { keepRecord, type RecordKeeper } from "./keep-record.ts";

const { signal } = new AbortController();
const begun = { startedAt: at(5), readyAt: at(6), namespace: "challenge-1", phase: "Running" } as const;
const made = { ...begun, conditions: [{ type: "NamespaceCreated", status: "True" as const }] };

/** What the copies show, what the server has, and what became of the record of an instance that runs. */
interface Case {
  what: string;
  seen: { instance?: ReturnType<typeof makeInstance>; namespace?: ReturnType<typeof makeNamespace> };
  /** A namespace with the same marks, which the copies show first. */
  copied?: ReturnType<typeof makeNamespace>;
  server: { instance?: ReturnType<typeof makeInstance>; namespace?: ReturnType<typeof makeNamespace> };
  asked: string[];
  /** In seconds; undefined: it stays open. */
  stopped?: number;
  /** In seconds; undefined: not before something changes. */
  lookAgain?: number;
}

const running = { instance: makeInstance(made), namespace: makeNamespace() };
const now = 60;

describe("the record of an instance that runs", () => {
  let records: MemoryRecords;
  let open: OpenRecords;
  beforeEach(async () => {
    records = new MemoryRecords();
    open = new OpenRecords(records.asRecords());
    await keepRecord("instance-1", keeper({ what: "", seen: running, server: {}, asked: [] }, []), signal);
    await open.load(signal);
    await keepRecord("instance-1", keeper({ what: "", seen: running, server: {}, asked: [] }, []), signal);
  });

  function keeper({ seen, copied, server }: Case, asked: string[]): RecordKeeper {
    const found = {
      instances: { byIndex: () => (seen.instance ? [seen.instance] : []) },
      namespaces: { byIndex: () => [copied, seen.namespace].filter((one) => one !== undefined) },
    };
    const get = async (type: { kind: string }) => {
      asked.push(type.kind);
      const object = type.kind === "Namespace" ? server.namespace : server.instance;
      if (!object) throw refusal(404);
      return object;
    };
    return {
      client: { get } as unknown as RecordKeeper["client"],
      caches: found as unknown as Caches,
      open,
      clock: { now: () => epoch + now * 1000 } as RecordKeeper["clock"],
      opened() {},
      stopped() {},
    };
  }

  test.each<Case>([
    { what: "stays open", seen: running, server: running, asked: [] },
    {
      what: "is closed when the instance is gone, and the server says so too",
      seen: {},
      server: {},
      asked: ["ChallengeInstance"],
      stopped: now,
    },
    {
      what: "is closed when another instance has the name",
      seen: {},
      server: { instance: makeInstance(made, { uid: "instance-2" }) },
      asked: ["ChallengeInstance"],
      stopped: now,
    },
    {
      what: "stays open when only our copy has lost it",
      seen: {},
      server: running,
      asked: ["ChallengeInstance"],
      lookAgain: 2,
    },
    {
      what: "is closed when the namespace goes, at that time",
      seen: { ...running, namespace: makeNamespace({ deletionTimestamp: at(50) }) },
      server: running,
      asked: [],
      stopped: 50,
    },
    {
      what: "stays open when a copy of its namespace goes",
      seen: running,
      copied: makeNamespace({ name: "challenge-copy", deletionTimestamp: at(50) }),
      server: running,
      asked: [],
    },
    {
      what: "is closed when of its namespace only a copy is left",
      seen: { instance: running.instance },
      copied: makeNamespace({ name: "challenge-copy" }),
      server: {},
      asked: ["Namespace"],
      stopped: now,
    },
    {
      what: "stays open when somebody has taken the marks from the namespace",
      seen: { instance: running.instance },
      server: { namespace: withoutMarks() },
      asked: ["Namespace"],
      lookAgain: 60,
    },
    {
      what: "is closed when the namespace goes, though somebody has taken the marks from it",
      seen: { instance: running.instance },
      server: { namespace: withoutMarks(at(51)) },
      asked: ["Namespace"],
      stopped: 51,
    },
    {
      what: "is closed when the namespace is gone, and the server says so too",
      seen: { instance: running.instance },
      server: {},
      asked: ["Namespace"],
      stopped: now,
    },
    {
      what: "is closed when the namespace belongs to another by now",
      seen: { instance: running.instance },
      server: { namespace: makeNamespace({ instance: "instance-2" }) },
      asked: ["Namespace"],
      stopped: now,
    },
    {
      what: "is closed when the namespace goes, which our copy has not seen",
      seen: { instance: running.instance },
      server: { namespace: makeNamespace({ deletionTimestamp: at(51) }) },
      asked: ["Namespace"],
      stopped: 51,
    },
    {
      what: "stays open when our copy has not seen the namespace yet",
      seen: { instance: running.instance },
      server: running,
      asked: ["Namespace"],
      lookAgain: 2,
    },
    {
      what: "is never closed before it was opened, whatever clocks say",
      seen: { ...running, namespace: makeNamespace({ deletionTimestamp: at(2) }) },
      server: running,
      asked: [],
      stopped: 5,
    },
  ])("$what", async (one) => {
    expect(records.get("instance-1")).toMatchObject({ status: "RUNNING" });
    const asked: string[] = [];
    const result = await keepRecord("instance-1", keeper(one, asked), signal);
    expect(asked).toEqual(one.asked);
    expect(result).toEqual(one.lookAgain && { requeueAfterMs: one.lookAgain * 1000 });
    const record = records.get("instance-1");
    expect(record?.stoppedAt).toBe(one.stopped === undefined ? undefined : epoch + one.stopped * 1000);
    // And nothing is asked about what is closed.
    if (one.stopped === undefined) return;
    await keepRecord("instance-1", keeper(one, asked), signal);
    expect(asked).toEqual(one.asked);
  });

  test("is open again when all was taken back, and is made once more", async () => {
    const look = async (seen: Case["seen"]) => {
      const told: string[] = [];
      const one = keeper({ what: "", seen, server: {}, asked: [] }, []);
      await keepRecord("instance-1", { ...one, opened: (uid) => told.push(uid) }, signal);
      return { told, status: records.get("instance-1")?.status, open: open.size };
    };
    const refused = makeInstance({ ...begun, phase: "Failed" });
    const closed = { told: [], status: "STOPPED", open: 0 };
    expect(await look({ instance: refused, namespace: makeNamespace({ deletionTimestamp: at(50) }) })).toEqual(closed);
    expect(await look({ instance: refused })).toEqual(closed);
    const { readyAt: _, ...anew } = begun;
    expect(await look({ instance: makeInstance({ ...anew, phase: "Creating" }) })).toEqual({
      told: ["instance-1"],
      status: "STARTING",
      open: 1,
    });
    expect(await look(running)).toEqual({ told: [], status: "RUNNING", open: 1 });
  });

  test("is not touched while the open records are not read", async () => {
    const unread = new OpenRecords(records.asRecords());
    const before = records.calls.length;
    await keepRecord(
      "instance-1",
      { ...keeper({ what: "", seen: {}, server: {}, asked: [] }, []), open: unread },
      signal,
    );
    expect(records.calls).toHaveLength(before);
  });
});

function withoutMarks(deletionTimestamp?: string) {
  const namespace = makeNamespace({ deletionTimestamp });
  namespace.metadata.labels = {};
  return namespace;
}
