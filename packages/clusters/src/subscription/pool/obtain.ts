/** Gets an account for a request: looks at the pool as it is now, takes one step towards it, and looks again. */
import { isConflict, isNotFound } from "@berg/apimachinery";
import type { Account } from "./account.ts";
import { type GardenAccounts, GardenFailed } from "./garden-accounts.ts";
import { type Claimer, type Pool, pickDedicated, pickShared, type Step } from "./pick.ts";
import type { Wanted } from "./wanted.ts";

type Accounts = Pick<GardenAccounts, "list" | "claim" | "confirm" | "undo" | "shootsOn">;

export interface Obtaining {
  accounts: Accounts;
  wanted: Wanted;
  usersOf: Pool["usersOf"];
  /** Undefined where a shared one is wanted. */
  claimer: Claimer | undefined;
}

/** `busy`: others are claiming, and it is to be tried again in a moment. */
export type Obtained = Account | "none" | "busy";

/** More than it takes with a few others about. */
const mostSteps = 12;

export async function obtain(obtaining: Obtaining, signal: AbortSignal): Promise<Obtained> {
  const { accounts, wanted, usersOf, claimer } = obtaining;
  for (let count = 0; count < mostSteps; count++) {
    const listed = { accounts: await accounts.list(wanted, signal), usersOf };
    const step = claimer ? pickDedicated(listed, claimer) : pickShared(listed);
    if (step.do === "use") return step.account;
    if (step.do === "none") return "none";
    if (step.do === "wait") return "busy";
    // Where somebody was faster it begins anew: it may have been for this tenant.
    const isDone = claimer && (await unlessChanged(() => doStep(accounts, step, claimer, signal)));
    if (isDone && step.do === "confirm") return step.account;
  }
  return "busy";
}

async function doStep(
  accounts: Accounts,
  step: Exclude<Step, { do: "use" | "wait" | "none" }>,
  claimer: Claimer,
  signal: AbortSignal,
): Promise<void> {
  const { account } = step;
  switch (step.do) {
    case "claim":
    case "takeOver":
      return accounts.claim(account, claimer, signal);
    case "confirm":
      return accounts.confirm(account, signal);
    case "undo":
      return takeBack(accounts, account, signal);
  }
}

/** Somebody who does not know that a claim can be pending may have put a Shoot there already. */
export async function takeBack(accounts: Accounts, account: Account, signal: AbortSignal): Promise<void> {
  const shoots = await accounts.shootsOn(account.metadata.name, signal);
  return shoots.length > 0 ? accounts.confirm(account, signal) : accounts.undo(account, signal);
}

/** Whether it was done: not where the account is another than it was when it was looked at. */
async function unlessChanged(change: () => Promise<void>): Promise<boolean> {
  try {
    await change();
    return true;
  } catch (error) {
    if (error instanceof GardenFailed && (isConflict(error.cause) || isNotFound(error.cause))) return false;
    throw error;
  }
}
