import { expect, test } from "vitest";
import { MadeAhead } from "./made-ahead.ts";

const container = { name: "c", image: "web:1" };
const first = { container, attempt: 0 };
const { signal } = new AbortController();

test("what was made is taken once, by the one that it was made for", async () => {
  const ahead = new MadeAhead();
  ahead.make(first, "p0", async () => "id");
  expect(await ahead.take(first, "p0", signal)).toBe("id");
  expect(await ahead.take(first, "p0", signal)).toBeUndefined();
});

test.each([
  ["another container", { container: { ...container, name: "d" }, attempt: 0 }, "p0"],
  ["another attempt", { container, attempt: 1 }, "p0"],
  ["another network", first, "p1"],
])("for %s it is of no use, and ends", async (_, wanted, pauseId) => {
  const ahead = new MadeAhead();
  const making = ahead.make(first, "p0", async () => "id");
  expect(await ahead.take(wanted, pauseId, signal)).toBeUndefined();
  expect(making?.stop.signal.aborted).toBe(true);
});

test("whoever takes it learns why it failed, and may end it", async () => {
  const ahead = new MadeAhead();
  ahead.make(first, "p0", async () => Promise.reject(new Error("no such image")));
  await expect(ahead.take(first, "p0", signal)).rejects.toThrow("no such image");

  const stop = new AbortController();
  const forever = (end: AbortSignal) =>
    new Promise<string>((_, reject) => end.addEventListener("abort", () => reject(end.reason)));
  ahead.make(first, "p0", forever);
  const taking = ahead.take(first, "p0", stop.signal);
  stop.abort(new Error("the pod ends"));
  await expect(taking).rejects.toThrow("the pod ends");
});

test("one that must know the pod's address waits for it", () => {
  const env = [{ name: "IP", valueFrom: { fieldRef: { fieldPath: "status.podIP" } } }];
  const ahead = new MadeAhead();
  expect(ahead.make({ container: { ...container, env }, attempt: 0 }, "p0", async () => "id")).toBeUndefined();
  const other = [{ name: "IP", valueFrom: { fieldRef: { fieldPath: "status.hostIP" } } }];
  expect(ahead.make({ container: { ...container, env: other }, attempt: 0 }, "p0", async () => "id")).toBeDefined();
});
