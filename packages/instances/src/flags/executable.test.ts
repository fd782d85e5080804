import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type Architecture, flagExecutable } from "./executable.ts";
import { FullPipe, isAsleep } from "./testing/full-pipe.ts";
import { emulatorOf, findCommand, install, isNative, openDirectory, run } from "./testing/programs.ts";

const architectures: Architecture[] = ["x86-64", "aarch64"];

const flags: Record<string, string> = {
  "an ordinary one": "flag{0rd1n4ry_a3f2c8d91e47}",
  "one byte": "x",
  empty: "",
  "1024 characters of 4 bytes": "🚩".repeat(1024),
  "what shells and printf read": "a\"b'c`d\\e %s%n%% $HOME $(id) $$ {entropy} ;|&<>\t\r\n\n last line",
  "not ASCII": "flag{größe_文字_é\u0301}",
};

const anyFlag = (minLength: number) =>
  fc.string({ unit: "binary", minLength, maxLength: 1024, size: "max" }).map((flag) => flag.replaceAll("\0", "0"));

let directory: string;
beforeAll(() => {
  directory = openDirectory();
});
afterAll(() => rmSync(directory, { recursive: true }));

describe.for(architectures)("a program for %s", (architecture) => {
  const emulator = emulatorOf(architecture);
  const print = (flag: string) => run([...(emulator ?? []), install(directory, flag, architecture)]);

  describe("when it is run", () => {
    beforeEach(({ skip }) => skip(emulator === undefined, "this processor has no emulator here: install qemu-user"));

    test.for(Object.entries(flags))("prints the flag and a line feed, and ends with 0: %s", ([, flag]) => {
      const { stdout, stderr, status } = print(flag);
      expect({ stdout: stdout.toString(), stderr: stderr.toString(), status }).toEqual({
        stdout: `${flag}\n`,
        stderr: "",
        status: 0,
      });
    });

    test("prints any flag", () => {
      fc.assert(
        fc.property(anyFlag(0), (flag) => print(flag).stdout.equals(Buffer.from(`${flag}\n`))),
        { numRuns: 15 },
      );
    });
  });

  test.for(Object.entries(flags))("is the same bytes each time: %s", ([, flag]) => {
    expect(flagExecutable(flag, architecture).equals(flagExecutable(flag, architecture))).toBe(true);
  });

  test("does not show the flag, in any usual form", () => {
    fc.assert(
      fc.property(anyFlag(4), (flag) => {
        const program = flagExecutable(flag, architecture);
        const bytes = Buffer.from(flag);
        const forms = [
          bytes,
          Buffer.from(bytes).reverse(),
          Buffer.from(bytes.toString("base64").replace(/=+$/, "")),
          Buffer.from(bytes.toString("hex")),
          Buffer.from(flag, "utf16le"),
        ];
        expect(forms.filter((form) => program.includes(form))).toEqual([]);
      }),
      { numRuns: 50 },
    );
  });

  test("does not show a part of the flag either", () => {
    const flag = Array.from({ length: 1024 }, (_, index) => String.fromCodePoint(0x1f300 + (index % 700))).join("");
    const program = flagExecutable(flag, architecture);
    const bytes = Buffer.from(flag);
    const parts = Array.from({ length: bytes.length - 7 }, (_, start) => bytes.subarray(start, start + 8));
    expect(parts.filter((part) => program.includes(part))).toEqual([]);
  });

  test("is encoded in another way for each flag", () => {
    const encoded = (flag: string) => flagExecutable(flag, architecture).subarray(-flag.length - 1, -5);
    expect(encoded("flag{same_beginning_1}")).not.toEqual(encoded("flag{same_beginning_2}"));
  });

  describe("as readelf sees it", () => {
    const readelf = findCommand("readelf");
    beforeEach(({ skip }) => skip(readelf === undefined, "there is no readelf here: install binutils"));
    const show = (what: string) =>
      run([readelf ?? "", what, "-W", install(directory, "flag{1}", architecture)], {
        env: { LC_ALL: "C" },
        encoding: "utf8",
      }).stdout.toString();

    test("is one segment that cannot be written, on a boundary of the largest pages", () => {
      const segments = show("-l").match(/^ +[A-Z_]+ +0x.*$/gm) ?? [];
      const [type, offset, address, , sizeInFile, sizeInMemory, ...rest] = segments[0]?.trim().split(/ +/) ?? [];
      const size = Number(sizeInFile);
      expect(segments).toHaveLength(1);
      expect([type, ...rest]).toEqual(["LOAD", "R", "E", "0x10000"]);
      expect([Number(offset), Number(address) % 0x1_0000]).toEqual([0, 0]);
      expect(size).toBe(flagExecutable("flag{1}", architecture).length);
      expect(Number(sizeInMemory)).toBe(size);
    });

    test("has no sections and no symbols", () => {
      expect(show("-S").trim()).toBe("There are no sections in this file.");
      expect(show("-s")).not.toContain("Symbol table");
    });

    test("is a program for that processor", () => {
      const header = show("-h");
      expect(header).toMatch(/Type: +EXEC/);
      expect(header).toMatch(architecture === "x86-64" ? /Machine: .*X86-64/ : /Machine: +AArch64/);
    });
  });
});

describe("with mode 0111", () => {
  const native = architectures.find(isNative);
  beforeEach(({ skip }) => skip(native === undefined, "no program of ours runs here without an emulator"));
  // Root may read everything here; in a container it may not, as DAC_OVERRIDE is dropped.
  const player = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  let program: string;
  beforeEach(() => {
    program = install(directory, "flag{run_me}", native ?? "x86-64", 0o111);
  });

  function expectUnreadable(file: string) {
    const { stdout, stderr, status } = run(["cat", file], { ...player, env: { ...process.env, LC_ALL: "C" } });
    expect([stdout.toString(), status]).toEqual(["", 1]);
    expect(stderr.toString()).toContain("Permission denied");
  }

  test("a player can run the program and not read it", () => {
    expect(run([program], player).stdout.toString()).toBe("flag{run_me}\n");
    expectUnreadable(program);
  });

  test("a player cannot look into the program while it runs", async () => {
    using pipe = new FullPipe(directory, { blocking: true });
    const child = spawn(program, { ...player, stdio: ["ignore", pipe.writer, "ignore"] });
    const exit = once(child, "exit");
    try {
      await vi.waitFor(() => expect(isAsleep(child.pid ?? 0)).toBe(true), { timeout: 60_000, interval: 5 });
      expectUnreadable(`/proc/${child.pid}/maps`);
    } finally {
      child.kill("SIGKILL");
      await exit;
    }
  });
});

test.for(architectures)(
  "a flag that cannot be printed is refused, and the error does not show it: %s",
  (architecture) => {
    const refused = (flag: string) => () => flagExecutable(flag, architecture);
    expect(refused("flag{s3cr\0et}")).toThrow(
      "cannot hand over the flag: it contains the NUL character; create the instance without it",
    );
    expect(refused("s3cret".repeat(800))).toThrow(
      "cannot hand over the flag: it has 4800 bytes in UTF-8; create the instance with at most 4096",
    );
  },
);
