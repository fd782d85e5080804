import { expect, test } from "vitest";
import { part, type RecordedWrite } from "./recording.ts";

const write = (resource: string, after: number[]): RecordedWrite => ({
  method: "POST",
  path: `/${resource}`,
  contentType: "application/json",
  body: "{}",
  resource,
  after,
  saysRunning: false,
});

test("a part of a recording keeps its order, and waits for nothing that is left out", () => {
  const writes = [write("instances", []), write("namespaces", [0]), write("events", [0]), write("services", [0, 1, 2])];
  const { writes: left } = part({ ownerId: "o", uid: "u", writes }, ({ resource }) => /s(pace|ervice)/.test(resource));
  expect(left.map(({ resource, after }) => [resource, after])).toEqual([
    ["namespaces", []],
    ["services", [0]],
  ]);
});
