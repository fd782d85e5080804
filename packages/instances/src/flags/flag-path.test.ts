import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { flagPath, flagPathProblem } from "./flag-path.ts";

const owner = { uid: "0b0e9a5e-3f5e-4a5c-9c5e-0d1f2a3b4c5d", flag: "flag{a3f2c8d91e47}" };

describe("the entropy of a path", () => {
  test("is 12 hex digits in the place of the placeholder", () => {
    expect(flagPath("/home/ctf/flag-{entropy}.txt", owner)).toMatch(/^\/home\/ctf\/flag-[0-9a-f]{12}\.txt$/);
  });

  test("is the same wherever one path has it", () => {
    expect(flagPath("/{entropy}/{entropy}-{entropy}", owner)).toMatch(/^\/([0-9a-f]{12})\/\1-\1$/);
  });

  test("does not change over the life of an instance", () => {
    expect(flagPath("/{entropy}", owner)).toBe("/b1efab3ae6bc");
  });

  test("is another for each flag, instance and path", () => {
    const paths = [
      flagPath("/{entropy}", owner),
      flagPath("/{entropy}", { ...owner, flag: "flag{a3f2c8d91e48}" }),
      flagPath("/{entropy}", { ...owner, uid: "0b0e9a5e-3f5e-4a5c-9c5e-0d1f2a3b4c5e" }),
      flagPath("/x/{entropy}", owner).replace("/x", ""),
    ];
    expect(new Set(paths).size).toBe(4);
  });

  test("leaves every other path as it is, braces and dollars too", () => {
    for (const path of ["/flag.txt", "/a b/$&/{Entropy}", "/{entropy", "/文字"]) {
      expect(flagPath(path, owner)).toBe(path);
    }
  });
});

describe("a path at which no file can be mounted", () => {
  const cases: Record<string, { path: string; want: string }> = {
    "is relative": { path: "flag.txt", want: "it is not absolute; begin it with /" },
    "is empty": { path: "", want: "it is not absolute; begin it with /" },
    "is the root": { path: "/", want: "it is no file; name one, such as /flag.txt" },
    "is a directory": { path: "/home/", want: "it ends with /, as a directory does; add the name of the file" },
    "has a NUL": { path: "/fl\0ag", want: "it contains the NUL character; remove it" },
    "has an empty part": { path: "/home//flag", want: "it has two / in a row; remove one" },
    "goes up": { path: "/home/../flag", want: 'it has a part "." or ".."; write the path without them' },
    "ends above": { path: "/home/..", want: 'it has a part "." or ".."; write the path without them' },
    "ends where it is": { path: "/home/.", want: 'it has a part "." or ".."; write the path without them' },
    "has a name that Kubernetes keeps": {
      path: "/home/...",
      want: 'the name of the file begins with ".."; choose another name',
    },
    "has too long a name": { path: `/${"é".repeat(128)}`, want: "a part of it has more than 255 bytes; shorten it" },
    "becomes too long": {
      path: `/${"x".repeat(244)}{entropy}`,
      want: "a part of it has more than 255 bytes; shorten it",
    },
  };
  test.for(Object.entries(cases))("%s", ([, { path, want }]) => {
    expect(flagPathProblem(path)).toBe(want);
    expect(() => flagPath(path, owner)).toThrow(`cannot put the flag at ${JSON.stringify(path)}: ${want}`);
  });

  test("is named in the error as the author wrote it, without entropy and flag", () => {
    expect(() => flagPath("/{entropy}/", owner)).toThrow(/^cannot put the flag at "\/\{entropy\}\/": [^0-9]*$/);
  });
});

test.for(["/flag", "/.flag", "/a..b", "/..a/flag", `/${"x".repeat(243)}{entropy}`])(
  "a file can be mounted at %s",
  (path) => expect(flagPathProblem(path)).toBeUndefined(),
);

test("a path without a problem stays without one when its entropy is filled in", () => {
  const part = fc.constantFrom("{entropy}", "/", ".", "..", "a", "é", "{", "entropy}");
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const path = `/${parts.join("")}`;
      fc.pre(flagPathProblem(path) === undefined);
      expect(flagPathProblem(flagPath(path, owner))).toBeUndefined();
    }),
  );
});
