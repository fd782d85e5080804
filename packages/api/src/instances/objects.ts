/** The ChallengeInstance that belongs to a row. */
import { isConflict, isNotFound, makeKey, type Stored } from "@berg/apimachinery";
import { annotations, type ChallengeInstance, ChallengeInstances, fieldManagers, isEnding } from "@berg/resources";
import { type ApiContext, objectName } from "../context.ts";
import type { InstanceRow } from "../database/schema.ts";
import { ProblemError } from "../problems.ts";

/** The id of the row, set by the API at creation, or given by the controller. */
export function idOf({ metadata, status }: ChallengeInstance): string | undefined {
  return metadata.annotations?.[annotations.instanceId] ?? status?.instanceId;
}

export function isOf(object: ChallengeInstance, { id }: Pick<InstanceRow, "id">): boolean {
  return idOf(object) === id;
}

/** As the cache has it. */
export function objectOf({ caches, settings }: ApiContext, row: InstanceRow): Stored<ChallengeInstance> | undefined {
  const object = caches().instances.get(makeKey(settings.namespace, objectName(row)));
  return object && isOf(object, row) ? object : undefined;
}

const mostTries = 5;

/**
 * Changes the spec of the object from what was read, so that two requests at the same time add up and do not count as
 * one. `change` returns the fields to set, or throws a problem.
 */
export async function changeSpec(
  { client, settings: { namespace } }: ApiContext,
  row: InstanceRow,
  change: (object: Stored<ChallengeInstance>) => object,
  signal: AbortSignal,
): Promise<void> {
  const name = objectName(row);
  for (let tries = 1; ; tries++) {
    const object = await client.get(ChallengeInstances, namespace, name, { signal }).catch(orUndefined);
    if (!object || !isOf(object, row) || isEnding(object)) {
      throw new ProblemError("nothing_running", "The instance has ended.");
    }
    const body = { metadata: { resourceVersion: object.metadata.resourceVersion }, spec: change(object) };
    try {
      const options = { fieldManager: fieldManagers.api, signal };
      await client.patch(ChallengeInstances, namespace, name, { type: "merge", body }, options);
      return;
    } catch (error) {
      // Deleted since it was read: the next read says so.
      if (isNotFound(error)) continue;
      if (!isConflict(error)) throw error;
      if (tries === mostTries) throw tooManyWriters();
    }
  }
}

function tooManyWriters(): ProblemError {
  return new ProblemError("kubernetes_unavailable", "Others change the instance at the moment. Try again.", {
    retryAfter: 1,
  });
}

/** For `catch`: where there is no such object. */
export function orUndefined(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}
