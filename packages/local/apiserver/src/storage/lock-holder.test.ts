import { expect, test } from "vitest";
import { lockHolder, pidIn } from "./lock-holder.ts";

const locks = `1: POSIX  ADVISORY  WRITE 17 fe:00:4711 128 128
1: -> POSIX  ADVISORY  WRITE 99 fe:00:42 128 128
2: FLOCK  ADVISORY  WRITE 0 fe:00:42 0 EOF
3: POSIX  ADVISORY  READ 4061 fe:00:42 1073741826 1073742335
`;

test.each([
  [42, 4061],
  [4711, 17],
  [471, undefined],
])("inode %d is held by %s", (inode, want) => expect(pidIn(locks, inode)).toBe(want));

test("nobody is named where nobody can be", () => {
  expect(lockHolder("/no/such/file")).toBe("another process");
  expect(lockHolder(import.meta.filename)).toBe("another process");
});
