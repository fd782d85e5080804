import type { Manager } from "@berg/kube";
import { FakeClock } from "@berg/kube/testing";
import { describe, expect, test } from "vitest";
import { onlyMetadata, servedKinds } from "./served-kinds.ts";

function surroundings() {
  const clock = new FakeClock();
  const handlers = new Set<() => void>();
  const asked: string[] = [];
  const answers = { broken: false };
  const client = {
    async raw(path: string) {
      asked.push(path);
      if (answers.broken) throw new Error("away");
      return JSON.stringify(path === "/api" ? { versions: [] } : { groups: [] });
    },
  };
  const onChange = (handler: () => void) => {
    handlers.add(handler);
    return () => handlers.delete(handler);
  };
  const manager = { client, informer: () => ({ onChange }) } as unknown as Manager;
  const served = servedKinds(manager, clock);
  const change = () => {
    for (const handler of handlers) handler();
  };
  return { clock, served, change, answers, reads: () => asked.filter((path) => path === "/api").length };
}

describe("the kinds that are served", () => {
  test("are read once for all who ask within the age that they allow", async () => {
    const { clock, served, reads } = surroundings();
    await Promise.all([served.get({ maxAgeMs: 1000 }), served.get({ maxAgeMs: 1000 })]);
    await clock.advance(1000);
    await served.get({ maxAgeMs: 1000 });
    expect(reads()).toBe(1);
    await clock.advance(1);
    await served.get({ maxAgeMs: 1000 });
    expect(reads()).toBe(2);
  });

  test("are read each time for a while after a definition changed", async () => {
    const { clock, served, change, reads } = surroundings();
    await served.get({ maxAgeMs: 60_000 });
    change();
    await served.get({ maxAgeMs: 60_000 });
    await clock.advance(2_000);
    await served.get({ maxAgeMs: 60_000 });
    expect(reads()).toBe(3);
    await clock.advance(1);
    await served.get({ maxAgeMs: 60_000 });
    await served.get({ maxAgeMs: 60_000 });
    expect(reads()).toBe(4);
  });

  test("are asked for again after a failure", async () => {
    const { served, answers, reads } = surroundings();
    answers.broken = true;
    await expect(served.get({ maxAgeMs: 60_000 })).rejects.toThrow("away");
    answers.broken = false;
    await served.get({ maxAgeMs: 60_000 });
    expect(reads()).toBe(2);
  });

  test("may have changed at once, and again when the server has noticed, until nobody wants to know", async () => {
    const { clock, served, change } = surroundings();
    let told = 0;
    const undo = served.onChange(() => told++);
    change();
    expect(told).toBe(1);
    await clock.advance(2_000);
    expect(told).toBe(2);
    change();
    undo();
    await clock.advance(10_000);
    expect(told).toBe(3);
  });
});

test("of an object only what it is, and whose, is kept", () => {
  const metadata = { name: "one", uid: "1", resourceVersion: "1", creationTimestamp: "", managedFields: [] };
  const secret = { apiVersion: "v1", kind: "Secret", metadata, data: { flag: "x" } };
  const { managedFields: _, ...rest } = metadata;
  expect(onlyMetadata(secret)).toEqual({ apiVersion: "v1", kind: "Secret", metadata: rest });
});
