import { createMetrics } from "@berg/kube";
import { describe, expect, test } from "vitest";
import { OpenRecords } from "../observe/open-records.ts";
import { MemoryRecords } from "../testing/memory-records.ts";
import { at, makeNamespace } from "../testing/objects.ts";
import { mismatchMetrics, mismatchOf, mismatchText } from "./mismatch.ts";

const { signal } = new AbortController();
const foreign = makeNamespace();
foreign.metadata.labels = {};
const namespaces = { list: () => [makeNamespace(), makeNamespace({ deletionTimestamp: at(1) }), foreign] };

describe("the early warning", () => {
  const records = new MemoryRecords();
  const open = new OpenRecords(records.asRecords());

  test("counts namespaces of ours that live, and says that records are not read where this process does not lead", async () => {
    const mismatch = mismatchOf(namespaces, open);
    expect(mismatch).toEqual({ liveNamespaces: 1, openRecords: undefined });
    expect(mismatchText(mismatch)).toBe(
      "1 live namespaces, records not read yet (only the process that leads reads them)",
    );
    const metrics = await createMetrics();
    mismatchMetrics(metrics, () => mismatchOf(namespaces, open));
    const { body } = await metrics.render();
    expect(body).toContain("berg_listener_live_namespaces 1\n");
    expect(body).not.toMatch(/^berg_listener_record_mismatch /m);
  });

  test("counts open records, and the difference", async () => {
    await open.load(signal);
    const metrics = await createMetrics();
    mismatchMetrics(metrics, () => mismatchOf(namespaces, open));
    expect(mismatchText(mismatchOf(namespaces, open))).toBe("1 live namespaces, 0 open records");
    const { body } = await metrics.render();
    expect(body).toContain("berg_listener_open_records 0\n");
    expect(body).toContain("berg_listener_record_mismatch 1\n");
  });
});
