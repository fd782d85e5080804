/**
 * What a player can ask for: start, stop, restart, more time. Each changes the database and answers at once; the reconcile of the
 * owner (sync.ts) makes Kubernetes follow.
 */
import { randomBytes } from "node:crypto";
import type { Stored } from "@berg/apimachinery";
import { DatabaseError, transact } from "@berg/database";
import { type Challenge, newInstanceId } from "@berg/resources";
import { requirePrerequisites } from "../challenges/prerequisites.ts";
import { findChallenge, requireStart } from "../challenges/routes.ts";
import { isAdmin, isClosed, isPaused } from "../competition/rules.ts";
import type { ApiContext } from "../context.ts";
import type { InstanceRow } from "../database/schema.ts";
import type { Player } from "../players/store.ts";
import { ProblemError } from "../problems.ts";
import type { Instance } from "../wire.ts";
import { drawFlag } from "./flags.ts";
import { changeSpec, objectOf } from "./objects.ts";
import { emptyInstance, isFailed, presentInstance } from "./present.ts";
import { allOpenRows, currentRow, findRow, insertRow, isFlagTaken, openRows, requestStop } from "./store.ts";

const mostTries = 10;

export interface StartRequest {
  /** Also the owner. */
  player: Player;
  challenge: string;
  /** Stops what runs first. */
  replace: boolean;
}

/** The instance that runs already, or a new one. */
export async function startInstance(context: ApiContext, request: StartRequest): Promise<Instance> {
  const playerId = request.player.id;
  const challenge = startableChallenge(context, request.player, request.challenge);
  await requirePrerequisites(context, challenge, request.player);
  try {
    await insertUnlessRunning(context, challenge, request);
  } finally {
    // Also after an error: a connection that is lost during the commit does not tell whether the row is there.
    context.reconcileOwner(playerId);
  }
  return currentInstance(context, playerId);
}

/** Answers with the instance that it stops, also where another request has started the next one meanwhile. */
export async function stopInstance(context: ApiContext, playerId: string): Promise<Instance> {
  const row = await currentRow(context.db, playerId);
  if (!row) return emptyInstance(playerId);
  try {
    await requestStop(context.db, row.id, context.clock.now());
  } finally {
    context.reconcileOwner(playerId);
  }
  const stopped = await findRow(context.db, row.id);
  return stopped?.terminated_at === null ? presentOwn(context, stopped, playerId) : emptyInstance(playerId);
}

export async function currentInstance(context: ApiContext, playerId: string): Promise<Instance> {
  const row = await currentRow(context.db, playerId);
  return row ? presentOwn(context, row, playerId) : emptyInstance(playerId);
}

function presentOwn(context: ApiContext, row: InstanceRow, playerId: string): Instance {
  const maxRenewals = context.maxRenewals();
  return presentInstance({ row, object: objectOf(context, row), recipientId: playerId, maxRenewals });
}

/** As admins see the instance of another owner. */
export async function foreignInstance(context: ApiContext, ownerId: string): Promise<Instance> {
  const row = await currentRow(context.db, ownerId);
  return row ? presentForStaff(context, row) : emptyInstance(ownerId);
}

/** Of all owners that have one. */
export async function allInstances(context: ApiContext): Promise<Instance[]> {
  return (await allOpenRows(context.db)).map((row) => presentForStaff(context, row));
}

function presentForStaff(context: ApiContext, row: InstanceRow): Instance {
  const maxRenewals = context.maxRenewals();
  return presentInstance({
    ...{ row, object: objectOf(context, row), maxRenewals },
    recipientId: row.owner_id,
    isForStaff: true,
  });
}

/** Asks the controller for more time: it decides how much, and never beyond the limits. */
export async function renewInstance(context: ApiContext, playerId: string, signal: AbortSignal): Promise<Instance> {
  const row = await requireCurrentRow(context, playerId);
  const maxRenewals = context.maxRenewals();
  await changeSpec(
    context,
    row,
    ({ spec, status }) => {
      if ((status?.renewals ?? 0) >= maxRenewals) {
        const times = maxRenewals === 1 ? "once" : `${maxRenewals} times`;
        throw new ProblemError("renewal_refused", `Its time can be extended ${times}, and was.`);
      }
      return { renewals: spec.renewals + 1 };
    },
    signal,
  );
  return currentInstance(context, playerId);
}

/** The controller replaces the pods; id, flag, addresses and time stay. */
export async function restartInstance(context: ApiContext, playerId: string, signal: AbortSignal): Promise<Instance> {
  const row = await requireCurrentRow(context, playerId);
  await changeSpec(
    context,
    row,
    ({ spec, status }) => {
      if (status?.phase !== "Running" && status?.phase !== "Failed") {
        throw new ProblemError("restart_refused", "It is still starting. Wait until it runs or has failed.");
      }
      return { restarts: spec.restarts + 1 };
    },
    signal,
  );
  return currentInstance(context, playerId);
}

export async function requireCurrentRow({ db }: ApiContext, playerId: string): Promise<InstanceRow> {
  const row = await currentRow(db, playerId);
  if (!row) throw new ProblemError("nothing_running", "Start an instance first.");
  return row;
}

function startableChallenge(context: ApiContext, player: Player, name: string): Stored<Challenge> {
  const { competition, clock } = context;
  requireStart(context, player);
  if (!isAdmin(player) && isPaused(competition(), clock.now())) {
    throw new ProblemError("competition_paused", "Instances that run go on; new ones can be started after the pause.");
  }
  if (!isAdmin(player) && isClosed(competition(), clock.now())) {
    throw new ProblemError("competition_over", "No more instances can be started.");
  }
  const challenge = findChallenge(context, name, player);
  const field = "challenge";
  if (!challenge) throw new ProblemError("challenge_unknown", `There is no challenge "${name}".`, { field });
  if (challenge.spec.containers.length === 0) {
    const detail = `The challenge "${name}" has nothing to start: its files and description are all there is.`;
    throw new ProblemError("challenge_without_instance", detail, { field });
  }
  return challenge;
}

async function insertUnlessRunning(
  context: ApiContext,
  challenge: Stored<Challenge>,
  { player: { id: playerId }, replace }: StartRequest,
): Promise<void> {
  const { db, clock, flagKey: key } = context;
  /** What ran before this start. */
  let before: string | undefined;
  for (let tries = 1; ; tries++) {
    try {
      return await transact(db, async (transaction) => {
        const now = clock.now();
        const running = (await openRows(transaction, playerId)).find((row) => row.stop_requested_at === null);
        if (running) {
          // Another start at the same time has won.
          if (tries > 1 && running.id !== before) return;
          before = running.id;
          const object = objectOf(context, running);
          const isOver = object?.status?.phase === "Terminated" || object?.metadata.deletionTimestamp !== undefined;
          if (!replace && !isFailed(object) && !isOver) return;
          await requestStop(transaction, running.id, now);
        }
        const { name } = challenge.metadata;
        const isTaken = (hmac: string) => isFlagTaken(transaction, name, hmac);
        await insertRow(transaction, {
          id: newInstanceId(now, () => randomBytes(4).readUInt32BE() / 2 ** 32),
          owner_id: playerId,
          started_by: playerId,
          challenge_name: name,
          ...(await drawFlag(challenge, { key, randomBytes, isTaken })),
          state: "requested",
          started_at: now,
          ready_at: null,
          stop_requested_at: null,
          terminated_at: null,
          termination_reason: null,
          object_name: null,
          stop_reason: null,
          timeline: null,
        });
      });
    } catch (error) {
      // Another start was quicker: one of the same owner, which the next try finds, or one that drew the same flag.
      if (!(error instanceof DatabaseError && error.isUniqueViolation) || tries === mostTries) throw error;
    }
  }
}
