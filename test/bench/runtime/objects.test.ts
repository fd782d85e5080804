import { FrameReader, type KubeObject, keyOf } from "@berg/apimachinery";
import { validateChallengeInstance } from "@berg/resources";
import { expect, test } from "vitest";
import { changeFrames, frame, makeInstance, makePod } from "./objects.ts";

const pods = 40;
const lines = [...changeFrames(pods, 200)];

test("a change of a pod is as long as one of a real cluster", () => {
  const sizes = lines.map((line) => Buffer.byteLength(line));
  expect(Math.min(...sizes)).toBeGreaterThan(1024);
  expect(Math.max(...sizes)).toBeLessThan(4096);
});

test("changes are frames of a watch, of so many pods, whose versions grow", () => {
  const { events, error } = new FrameReader().read(Buffer.from(lines.join("")));
  expect(error).toBeUndefined();
  const objects = events.map((event) => event.object as KubeObject);
  expect(new Set(objects.map(keyOf)).size).toBe(pods);
  expect(new Set(objects.map(({ metadata }) => metadata.uid)).size).toBe(pods);
  const versions = objects.map(({ metadata }) => Number(metadata.resourceVersion));
  expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
});

test("pods and instances carry managedFields, which a cache may drop", () => {
  expect(makePod(1, 1).metadata.managedFields).not.toHaveLength(0);
  expect(makeInstance(1, 1).metadata.managedFields).not.toHaveLength(0);
});

test("the same numbers give the same bytes", () => {
  expect(frame("ADDED", makePod(7, 9))).toBe(frame("ADDED", makePod(7, 9)));
  expect(frame("ADDED", makeInstance(7, 9))).toBe(frame("ADDED", makeInstance(7, 9)));
});

test("an instance is a valid one", () => {
  expect(validateChallengeInstance(makeInstance(3, 4))).toMatchObject({ errors: [] });
});
