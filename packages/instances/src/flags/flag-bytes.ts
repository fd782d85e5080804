import { TerminalError } from "@berg/kube";

/** What the 1024 characters that a ChallengeInstance admits take at most in UTF-8. */
export const longestFlag = 4096;

/** The flag in UTF-8, checked before it goes anywhere: no environment variable can hold a NUL, and C stops at it. */
export function flagBytes(flag: string): Buffer {
  if (flag.includes("\0")) {
    throw new TerminalError("cannot hand over the flag: it contains the NUL character; create the instance without it");
  }
  const bytes = Buffer.from(flag, "utf8");
  if (bytes.length > longestFlag) {
    throw new TerminalError(
      `cannot hand over the flag: it has ${bytes.length} bytes in UTF-8; create the instance with at most ${longestFlag}`,
    );
  }
  return bytes;
}
