import { expect, test } from "vitest";
import { capUpdaters } from "./cap-updaters.ts";
import { FieldSet } from "./field-set.ts";
import { idOf, type Manager } from "./managers.ts";

function updaters(count: number): Map<string, Manager> {
  const made = Array.from({ length: count }, (_, i): Manager => {
    const time = new Date(Date.UTC(2026, 0, 1) + i * 1000).toISOString();
    const fields = FieldSet.of(["f:data", `f:k${i}`]);
    return { manager: `m${i}`, operation: "Update", apiVersion: "v1", subresource: "", time, fields };
  });
  return new Map(made.map((manager) => [idOf(manager), manager]));
}

test("the oldest updaters become one, of any number", () => {
  for (const count of [11, 12, 20_000]) {
    const managers = updaters(count);
    capUpdaters(managers);
    expect(managers.size).toBe(10);
    const ancient = [...managers.values()].find(({ manager }) => manager === "ancient-changes");
    expect([...(ancient?.fields.paths() ?? [])]).toHaveLength(count - 9);
    expect(ancient?.fields.has(["f:data", `f:k${count - 10}`])).toBe(true);
  }
});

test("the sets of the updaters themselves stay as they are", () => {
  const managers = updaters(11);
  const [first, second] = [...managers.values()];
  capUpdaters(managers);
  expect([...(first?.fields.paths() ?? [])]).toEqual([["f:data", "f:k0"]]);
  expect([...(second?.fields.paths() ?? [])]).toEqual([["f:data", "f:k1"]]);
});
