import type { SignInOptions } from "@berg/api/wire";
import { expect, test } from "vitest";
import { registrationState } from "./registration.ts";

const serverTime = "2026-11-18T12:00:00Z";
const earlier = "2026-11-17T12:00:00Z";
const later = "2026-11-19T12:00:00Z";

test.each<{ title: string; change: Partial<SignInOptions["registration"]>; want: string }>([
  { title: "open", change: { isOpen: true }, want: "open" },
  { title: "before its window", change: { opensAt: later }, want: "later" },
  { title: "after its window", change: { opensAt: earlier, closesAt: earlier }, want: "closed" },
  { title: "full", change: { isFull: true }, want: "full" },
  { title: "closed by the organiser", change: { mode: "closed", opensAt: later, isFull: true }, want: "closed" },
])("registration that is $title is $want", ({ change, want }) => {
  const registration = {
    mode: "open",
    isOpen: false,
    opensAt: null,
    closesAt: null,
    isFull: false,
    ...change,
  } as const;
  expect(registrationState({ registration, serverTime })).toBe(want);
});
