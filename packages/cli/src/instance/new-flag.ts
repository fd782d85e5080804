/** The flag of an instance whose starter gives none: made from the Challenge's, as players' are. */
import type { Challenge } from "@berg/resources";

export type RandomBytes = (count: number) => Uint8Array;

/** Whether any container gets a flag. Where none does, every instance has the Challenge's own. */
export function needsFlag({ spec }: Pick<Challenge, "spec">): boolean {
  return spec.containers.some(({ dynamicFlag }) => dynamicFlag !== undefined);
}

/** `flag{cookies}` becomes `flag{cookies_1f9c3a7be04d}`, or with leetify `flag{c00k1es}`. */
export function newFlag({ spec }: Pick<Challenge, "spec">, randomBytes: RandomBytes): string {
  if (!spec.flag) return `flag{${hex(randomBytes(16))}}`;
  return spec.dynamicFlagMode === "leetify" ? leetified(spec.flag, randomBytes) : suffixed(spec.flag, randomBytes);
}

function suffixed(flag: string, randomBytes: RandomBytes): string {
  const open = flag.replace(/\}+$/, "");
  return `${open}_${hex(randomBytes(6))}${open === flag ? "" : "}"}`;
}

const digits: Record<string, string> = { a: "4", e: "3", g: "6", i: "1", l: "1", o: "0", r: "2", s: "5", t: "7" };

/** Each letter between the braces that looks like a digit becomes it or stays, by chance. */
function leetified(flag: string, randomBytes: RandomBytes): string {
  return flag.replace(/\{[^}]*/, (inside) =>
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
