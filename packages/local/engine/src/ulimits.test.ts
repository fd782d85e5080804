import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { ownUlimits, ulimitsOf } from "./ulimits.ts";

const limits = (
  files: string,
  processes: string,
) => `Limit                     Soft Limit           Hard Limit           Units
Max cpu time              unlimited            unlimited            seconds
Max processes             ${processes.padEnd(20)} ${processes.padEnd(20)} processes
Max open files            1024                 ${files.padEnd(20)} files
`;

test.each([
  { what: "as many as Podman asks for", files: "1048576", processes: "4194304", want: [] },
  { what: "more", files: "9999999", processes: "unlimited", want: [] },
  { what: "fewer files", files: "20000", processes: "unlimited", want: ["nofile 20000"] },
  { what: "fewer of both", files: "4096", processes: "96349", want: ["nofile 4096", "nproc 96349"] },
  { what: "fewer numbers", files: "1048576", processes: "96349", pidMax: "32768\n", want: ["nproc 32768"] },
])("where this machine gives $what", ({ files, processes, pidMax = "4194304\n", want }) => {
  const { Ulimits = [] } = ulimitsOf(limits(files, processes), pidMax);
  expect(Ulimits.map(({ Name, Hard }) => `${Name} ${Hard}`)).toEqual(want);
  expect(Ulimits.every(({ Soft, Hard }) => Soft === Hard)).toBe(true);
});

test("what cannot be read asks for nothing", () => {
  expect([ulimitsOf("", ""), ulimitsOf("rubbish\nMax open files\n", "many")]).toEqual([{}, {}]);
});

test("those of this process are read", async () => {
  const [own, pidMax] = await Promise.all(
    ["/proc/self/limits", "/proc/sys/kernel/pid_max"].map((path) => readFile(path, "utf8")),
  );
  expect(await ownUlimits()).toEqual(ulimitsOf(own ?? "", pidMax ?? ""));
});
