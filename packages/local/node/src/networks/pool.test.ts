import { expect, test } from "vitest";
import { bridgeName, networkName } from "./names.ts";
import { readPool } from "./pool.ts";

test.each(["10.0.0.0/25", "fd00::/8", "everything"])("the pool %j is refused, with an example", (text) => {
  expect(() => readPool(text)).toThrow(
    `"${text}" is not a range for pods: use an IPv4 range of /24 or more, as 10.202.0.0/16`,
  );
});

test("a bridge's name is one that Linux takes, whatever the namespace", () => {
  const namespace = `challenge-${"x".repeat(53)}`;
  expect(bridgeName("laptop", namespace)).toMatch(/^berg-[0-9a-f]{10}$/);
  expect(networkName("laptop", namespace)).toContain(namespace);
  expect(bridgeName("laptop", "a")).not.toBe(bridgeName("laptop", "b"));
});
