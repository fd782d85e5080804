import { createHmac } from "node:crypto";
import { TerminalError } from "@berg/kube";

const placeholder = "{entropy}";
const entropyLength = 12;

/** What Linux allows one part of a path to have. */
const longestName = 255;

/** The instance whose flag it is. `uid` is that of the ChallengeInstance. */
export interface FlagOwner {
  uid: string;
  flag: string;
}

/**
 * Where the file with the flag goes. Each `{entropy}` becomes 12 hex digits: the same ones for the life of the instance,
 * and unknown to whoever does not have the flag yet.
 *
 *     flagPath("/home/ctf/{entropy}.txt", instance); // "/home/ctf/9f2c51d0a7be.txt"
 */
export function flagPath(path: string, { uid, flag }: FlagOwner): string {
  const problem = flagPathProblem(path);
  // The path with its entropy filled in is a secret too: an error names the one that the author wrote.
  if (problem !== undefined) throw new TerminalError(`cannot put the flag at ${JSON.stringify(path)}: ${problem}`);
  const entropy = createHmac("sha256", flag).update(`berg flag path\0${uid}\0${path}`).digest("hex");
  return path.replaceAll(placeholder, entropy.slice(0, entropyLength));
}

/** What is wrong with the path that an author wrote, and the fix; nothing where a file can be mounted there. */
export function flagPathProblem(path: string): string | undefined {
  if (!path.startsWith("/")) return "it is not absolute; begin it with /";
  if (path === "/") return "it is no file; name one, such as /flag.txt";
  if (path.endsWith("/")) return "it ends with /, as a directory does; add the name of the file";
  if (path.includes("\0")) return "it contains the NUL character; remove it";
  const names = path.slice(1).split("/");
  if (names.includes("")) return "it has two / in a row; remove one";
  if (names.includes(".") || names.includes("..")) return 'it has a part "." or ".."; write the path without them';
  // Kubernetes keeps such names in volumes for itself.
  if (names.at(-1)?.startsWith("..")) return 'the name of the file begins with ".."; choose another name';
  const tooLong = names.some((name) => filledInSize(name) > longestName);
  if (tooLong) return `a part of it has more than ${longestName} bytes; shorten it`;
  return undefined;
}

function filledInSize(name: string): number {
  return Buffer.byteLength(name.replaceAll(placeholder, "0".repeat(entropyLength)));
}
