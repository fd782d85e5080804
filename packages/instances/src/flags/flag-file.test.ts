import { describe, expect, test } from "vitest";
import { flagExecutable } from "./executable.ts";
import { contentFile, executableFile } from "./flag-file.ts";
import { flagPath } from "./flag-path.ts";

const owner = { uid: "0b0e9a5e-3f5e-4a5c-9c5e-0d1f2a3b4c5d", flag: "flag{größe_$(id)}" };

describe("a file with the flag", () => {
  test("holds the flag and a line feed", () => {
    expect(contentFile({ path: "/home/ctf/flag.txt" }, owner)).toEqual({
      path: "/home/ctf/flag.txt",
      subPath: "flag.txt",
      mode: 0o444,
      bytes: Buffer.from("flag{größe_$(id)}\n"),
    });
  });

  test("is mounted by the name that it has in the container", () => {
    const path = "/srv/{entropy}/flag-{entropy}.txt";
    const file = contentFile({ path }, owner);
    expect(file.path).toBe(flagPath(path, owner));
    expect(file.path.endsWith(`/${file.subPath}`)).toBe(true);
    expect(file.subPath).toMatch(/^flag-[0-9a-f]{12}\.txt$/);
  });

  test("is refused where no file can be", () => {
    expect(() => contentFile({ path: "/home/" }, owner)).toThrow('cannot put the flag at "/home/": it ends with /');
  });

  test("is refused with a NUL, and the error does not show the flag", () => {
    const error = catchError(() => contentFile({ path: "/flag" }, { ...owner, flag: "s3cr\0et" }));
    expect(error).toMatchObject({ name: "TerminalError" });
    expect(String(error)).not.toMatch(/s3cr|et}/);
  });
});

test.for(["x86-64", "aarch64"] as const)("a program for %s may be run and not be read", (architecture) => {
  expect(executableFile({ path: "/usr/bin/get_flag" }, owner, architecture)).toEqual({
    path: "/usr/bin/get_flag",
    subPath: "get_flag",
    mode: 0o111,
    bytes: flagExecutable(owner.flag, architecture),
  });
});

test.for([
  { mode: "0400", want: 0o400 },
  { mode: "0o777", want: 0o777 },
  { mode: 292, want: 0o444 },
  { mode: 0, want: 0 },
])("the author's mode $mode holds", ({ mode, want }) => {
  expect(contentFile({ path: "/flag", mode }, owner).mode).toBe(want);
  expect(executableFile({ path: "/flag", mode }, owner, "x86-64").mode).toBe(want);
});

function catchError(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}
