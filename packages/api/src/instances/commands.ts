/**
 * What a player can ask for: start, stop, more time. Each changes the database and answers at once; the reconcile of the
 * owner (sync.ts) makes Kubernetes follow.
 */
import { randomBytes } from "node:crypto";
import { isConflict, isNotFound, makeKey, type Stored } from "@berg/apimachinery";
import { DatabaseError } from "@berg/database";
import {
  annotations,
  type Challenge,
  type ChallengeInstance,
  ChallengeInstances,
  fieldManagers,
  newInstanceId,
} from "@berg/resources";
import { findChallenge } from "../challenges/routes.ts";
import { type ApiContext, instanceName } from "../context.ts";
import type { InstanceRow } from "../database/schema.ts";
import { ProblemError } from "../problems.ts";
import type { Instance } from "../wire.ts";
import { drawFlag } from "./flags.ts";
import { emptyInstance, isFailed, presentInstance } from "./present.ts";
import { allOpenRows, currentRow, insertRow, isFlagTaken, openRows, requestStop } from "./store.ts";

export interface StartRequest {
  /** Also the owner. */
  playerId: string;
  challenge: string;
  /** Stops what runs first. */
  replace: boolean;
}

/** The instance that runs already, or a new one. */
export async function startInstance(context: ApiContext, request: StartRequest): Promise<Instance> {
  const { playerId } = request;
  const challenge = startableChallenge(context, request.challenge);
  try {
    await insertUnlessRunning(context, challenge, request);
  } finally {
    // Also after an error: a connection that is lost during the commit does not tell whether the row is there.
    context.reconcileOwner(playerId);
  }
  return currentInstance(context, playerId);
}

export async function stopInstance(context: ApiContext, playerId: string): Promise<Instance> {
  const row = await currentRow(context.db, playerId);
  if (!row) return emptyInstance(playerId);
  try {
    await requestStop(context.db, row.id, context.clock.now());
  } finally {
    context.reconcileOwner(playerId);
  }
  return currentInstance(context, playerId);
}

export async function currentInstance(context: ApiContext, playerId: string): Promise<Instance> {
  const row = await currentRow(context.db, playerId);
  if (!row) return emptyInstance(playerId);
  const { maxRenewals } = context.settings;
  return presentInstance({ row, object: objectOf(context, row), recipientId: playerId, maxRenewals });
}

/** Of all owners that have one. */
export async function allInstances(context: ApiContext): Promise<Instance[]> {
  const { maxRenewals } = context.settings;
  const rows = await allOpenRows(context.db);
  return rows.map((row) =>
    presentInstance({ row, object: objectOf(context, row), recipientId: row.owner_id, maxRenewals, isForStaff: true }),
  );
}

const mostRenewTries = 5;

/** Raises `spec.renewals` by one from what was read, so that two requests at the same time do not count as one. */
export async function renewInstance(context: ApiContext, playerId: string, signal: AbortSignal): Promise<Instance> {
  const row = await currentRow(context.db, playerId);
  const shown = await currentInstance(context, playerId);
  if (!row || !objectOf(context, row)) throw new ProblemError("nothing_running", "Start an instance first.");
  if (shown.renewalsLeft === 0) {
    throw new ProblemError(
      "renewal_refused",
      `Its time was extended ${context.settings.maxRenewals} times already, which is the limit.`,
    );
  }
  const { namespace } = context.settings;
  const name = instanceName(playerId);
  for (let tries = 1; ; tries++) {
    const object = await context.client.get(ChallengeInstances, namespace, name, { signal }).catch(orUndefined);
    if (!object || !isOf(object, row)) throw new ProblemError("nothing_running", "The instance has ended.");
    const body = {
      metadata: { resourceVersion: object.metadata.resourceVersion },
      spec: { renewals: object.spec.renewals + 1 },
    };
    try {
      const options = { fieldManager: fieldManagers.api, signal };
      await context.client.patch(ChallengeInstances, namespace, name, { type: "merge", body }, options);
      return currentInstance(context, playerId);
    } catch (error) {
      if (!isConflict(error) || tries === mostRenewTries) throw error;
    }
  }
}

function startableChallenge(context: ApiContext, name: string): Stored<Challenge> {
  const { competition, clock } = context;
  if (clock.now() < competition.start) {
    throw new ProblemError("not_started", "Instances can be started once the competition has begun.");
  }
  const challenge = findChallenge(context, name);
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
  { playerId, replace }: StartRequest,
): Promise<void> {
  const { db, clock, flagKey: key } = context;
  try {
    await db.transaction().execute(async (transaction) => {
      const now = clock.now();
      const running = (await openRows(transaction, playerId)).find((row) => row.stop_requested_at === null);
      if (running) {
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
      });
    });
  } catch (error) {
    // Another start of the same owner was quicker: that is the one that runs.
    if (!(error instanceof DatabaseError && error.isUniqueViolation)) throw error;
  }
}

/** The ChallengeInstance of this row, as the cache has it. */
export function objectOf({ caches, settings }: ApiContext, row: InstanceRow): Stored<ChallengeInstance> | undefined {
  const object = caches().instances.get(makeKey(settings.namespace, instanceName(row.owner_id)));
  return object && isOf(object, row) ? object : undefined;
}

export function isOf({ metadata }: ChallengeInstance, { id }: Pick<InstanceRow, "id">): boolean {
  return metadata.annotations?.[annotations.instanceId] === id;
}

/** For `catch`: where there is no such object. */
export function orUndefined(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}
