import fc from "fast-check";
import { expect, test } from "vitest";
import { failureText, lastLines } from "./build-failure.ts";

const needs =
  "delete this object, and create it again with another baseImage: one that has glibc 2.28 or newer and the C++ library, such as debian:12 or mcr.microsoft.com/azurelinux/base/core:3.0";
const program = "/berg-tunnel-client-proxy";

test.each([
  {
    what: "a missing library",
    said: [
      `${program}: error while loading shared libraries: libstdc++.so.6: cannot open shared object file: No such file or directory`,
    ],
    end: "cannot build image x: exit code 127",
    want: `the base image old:1 lacks libstdc++.so.6, which the client proxy needs; ${needs}`,
  },
  {
    what: "a library that is too old",
    said: [`${program}: /lib64/libm.so.6: version \`GLIBC_2.27' not found (required by ${program})`],
    end: "exit code 1",
    want: `the base image old:1 has libraries without GLIBC_2.27, which the client proxy needs; ${needs}`,
  },
  {
    what: "no loader, as runc says it",
    said: [],
    end: `runc create failed: unable to start container process: exec: "${program}": stat ${program}: no such file or directory`,
    want: `the base image old:1 has no loader of glibc, which the client proxy needs; ${needs}`,
  },
  {
    what: "no loader, as the kernel says it",
    said: [`exec ${program}: no such file or directory`],
    end: "exit code 1",
    want: `the base image old:1 has no loader of glibc, which the client proxy needs; ${needs}`,
  },
  {
    what: "another processor",
    said: [`exec ${program}: exec format error`],
    end: "exit code 1",
    want: "the base image old:1 is for another kind of processor than this machine's (x64); delete this object, and create it again with another baseImage: one for that",
  },
  {
    what: "anything else",
    said: ["Step 1/8"],
    end: "no space left on device",
    want: "the image could not be built on old:1",
  },
])("$what is told by name, and the builder's last lines with it", ({ said, end, want }) => {
  const text = failureText({ baseImage: "old:1", architecture: "x64", said, end });
  expect(text.split("\n")).toEqual([want, ...said, end]);
});

test("what a builder said is bounded and printable, whatever it was", () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 800 }).map((bytes) => Buffer.from(bytes).toString("utf16le"))),
      (said) => {
        const lines = lastLines(said);
        expect(lines.length).toBeLessThanOrEqual(8);
        for (const line of lines) expect(line).toMatch(/^[^\p{Cc}\u202a-\u202e\u2066-\u2069]{1,300}$/u);
      },
    ),
  );
});

test("a line without end is cut", () => {
  expect(lastLines([`${"x".repeat(300)}y`])).toEqual(["x".repeat(300)]);
});

test("the last lines are kept, without colours, and none twice in a row", () => {
  const said = [
    ...Array.from({ length: 20 }, (_, index) => `line ${index}`),
    "\u001b[31mred\u001b[0m",
    "red",
    "",
    "end\nof it",
  ];
  expect(lastLines(said)).toEqual([...["line 15", "line 16", "line 17", "line 18", "line 19"], "red", "end", "of it"]);
});
