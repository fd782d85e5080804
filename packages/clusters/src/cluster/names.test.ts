import { expect, test } from "vitest";
import { adminBindingNameOf, authenticationNameOf, longestShootAndProject, projectOf, shootNameOf } from "./names.ts";
import { makeCluster } from "./testing/make-objects.ts";

test("a Shoot is called by the Cluster's UID, unless the Cluster says how", () => {
  const name = shootNameOf(makeCluster());
  expect(name).toMatch(/^c-[a-z2-7]{8}$/);
  expect(shootNameOf(makeCluster({ name: "other" }))).toBe(name);
  expect(shootNameOf(makeCluster({ uid: "another" }))).not.toBe(name);
  const core = { purpose: "testing", region: "r", shootName: "red" };
  expect(shootNameOf(makeCluster({ spec: { core } }))).toBe("red");
  expect(name.length + "elevenchars".length).toBeLessThanOrEqual(longestShootAndProject);
});

test("one that is there keeps its name", () => {
  const status = { shootRef: { name: "first", uid: "u" } };
  const core = { purpose: "testing", region: "r", shootName: "second" };
  expect(shootNameOf(makeCluster({ spec: { core }, status }))).toBe("first");
});

test("other names", () => {
  expect(adminBindingNameOf("user.id@example.com")).toMatch(/^cluster-operator:admin:[0-9a-f]{16}$/);
  expect(adminBindingNameOf("a")).not.toBe(adminBindingNameOf("b"));
  expect(authenticationNameOf("red")).toBe("red-authentication");
  expect(projectOf("garden-ctf")).toBe("ctf");
});
