/** Whether somebody can register, and if not, why. */
import type { SignInOptions } from "@berg/api/wire";

/** `later`: it opens at a time that is known. */
export type RegistrationState = "open" | "later" | "full" | "closed";

export function registrationState({
  registration: { mode, isOpen, opensAt, isFull },
  serverTime,
}: Pick<SignInOptions, "registration" | "serverTime">): RegistrationState {
  if (isOpen) return "open";
  if (mode === "closed") return "closed";
  if (opensAt !== null && Date.parse(opensAt) > Date.parse(serverTime)) return "later";
  return isFull ? "full" : "closed";
}
