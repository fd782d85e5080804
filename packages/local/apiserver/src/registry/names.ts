/** Names and ids that the server makes. */
import type { Random } from "@berg/kube";

/** Without vowels and look-alikes, so that no name spells a word or is misread. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;
const longestBase = 63 - suffixLength;

/** How often another name is tried where the first is taken. */
export const nameAttempts = 8;

/** `generatedName("web-", random)` is such as `web-x7k2q`. */
export function generatedName(base: string, random: Random): string {
  let name = base.slice(0, longestBase);
  for (let i = 0; i < suffixLength; i++) name += alphabet[Math.floor(random() * alphabet.length)];
  return name;
}

/** A UUID of version 4. */
export function newUid(random: Random): string {
  const bytes = Array.from({ length: 16 }, () => Math.floor(random() * 256));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
