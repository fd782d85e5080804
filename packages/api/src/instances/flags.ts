/** Draws the flag of a new instance, so that no other instance of the challenge ever had it. */
import { createHmac } from "node:crypto";
import { type Challenge, needsFlag, newFlag, type RandomBytes } from "@berg/resources";

const mostDraws = 64;

export interface DrawnFlag {
  flag: string | null;
  flag_hmac: string | null;
  flag_reused: number;
}

export function flagHmac(key: Buffer, flag: string): string {
  return createHmac("sha256", key).update(flag).digest("hex");
}

/** A challenge whose flag has few forms runs out of them: then one is used twice, and marked. */
export async function drawFlag(
  challenge: Challenge,
  { key, randomBytes, isTaken }: { key: Buffer; randomBytes: RandomBytes; isTaken(hmac: string): Promise<boolean> },
): Promise<DrawnFlag> {
  if (!needsFlag(challenge)) return { flag: null, flag_hmac: null, flag_reused: 0 };
  for (let draw = 1; ; draw++) {
    const flag = newFlag(challenge, randomBytes);
    const flag_hmac = flagHmac(key, flag);
    const isUsed = await isTaken(flag_hmac);
    if (!isUsed || draw === mostDraws) return { flag, flag_hmac, flag_reused: isUsed ? 1 : 0 };
  }
}
