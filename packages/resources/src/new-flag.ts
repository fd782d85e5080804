/** Generates the flag of an instance from that of its Challenge: the one generator of the API and of the command line. */
import type { Challenge } from "./challenge.ts";

export type RandomBytes = (count: number) => Uint8Array;

/** Whether any container gets a flag of its instance. Where none does, every instance has the Challenge's static flag. */
export function needsFlag({ spec }: Pick<Challenge, "spec">): boolean {
  return spec.containers.some(({ dynamicFlag }) => dynamicFlag !== undefined);
}

/** `flag{cookies}` becomes `flag{cookies_1f9c3a7be04d}`, or with leetify `flag{c00k1es}`. */
export function newFlag({ spec }: Pick<Challenge, "spec">, randomBytes: RandomBytes): string {
  if (!spec.flag) return `flag{${hex(randomBytes(generatedBytes))}}`;
  return spec.dynamicFlagMode === "leetify" ? leetified(spec.flag, randomBytes) : suffixed(spec.flag, randomBytes);
}

/** How many bits of a new flag are drawn at random: a flag has 2 to the power of this many forms. */
export function flagEntropyBits({ spec }: Pick<Challenge, "spec">): number {
  if (!spec.flag) return 8 * generatedBytes;
  if (spec.dynamicFlagMode === "suffix") return 8 * suffixBytes;
  const [inside = ""] = spec.flag.match(betweenBraces) ?? [];
  return [...inside].filter((letter) => digits[letter.toLowerCase()] !== undefined).length;
}

const generatedBytes = 16;
const suffixBytes = 6;

function suffixed(flag: string, randomBytes: RandomBytes): string {
  const open = flag.replace(/\}+$/, "");
  return `${open}_${hex(randomBytes(suffixBytes))}${open === flag ? "" : "}"}`;
}

const betweenBraces = /\{[^}]*/;

const digits: Record<string, string> = { a: "4", e: "3", g: "6", i: "1", l: "1", o: "0", r: "2", s: "5", t: "7" };

/** Each letter between the braces that looks like a digit becomes it or stays, by chance. */
function leetified(flag: string, randomBytes: RandomBytes): string {
  return flag.replace(betweenBraces, (inside) =>
    [...inside]
      .map((letter) => {
        const digit = digits[letter.toLowerCase()];
        return digit !== undefined && (randomBytes(1)[0] ?? 0) % 2 === 1 ? digit : letter;
      })
      .join(""),
  );
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
