import fc from "fast-check";
import { expect, test } from "vitest";
import { imageName } from "./image-name.ts";

const executable = "4f2a90c1d7be0000";
const base = "sha256:93feda02f9ed34715cfd979951df6e5e5ef45d3537389bc07a81aa32a7562d11";

test("a name has the version, and what it is made of", () => {
  expect(imageName("0.1.0", executable, base)).toBe("berg-tunnel-client:0.1.0-4f2a90c1d7be-93feda02f9ed");
});

test("another version, executable or base image is another image", () => {
  const names = [
    imageName("0.1.0", executable, base),
    imageName("0.2.0", executable, base),
    imageName("0.1.0", "5f2a90c1d7be", base),
    imageName("0.1.0", executable, "sha256:73feda02f9ed34"),
  ];
  expect(new Set(names).size).toBe(4);
});

test("whatever the version is, the name is one that engines take", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
      (version) => {
        expect(imageName(version, executable, base)).toMatch(/^berg-tunnel-client:[A-Za-z0-9_][\w.-]{0,127}$/);
      },
    ),
  );
});
