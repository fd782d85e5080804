/** What the pages change. Each answer goes into the cache at once; the live connection reports what happens later. */
import type { Instance, SignedOut } from "@berg/api/wire";
import { type QueryClient, useMutation, useQueryClient } from "@tanstack/react-query";
import { request } from "./client.ts";
import { useLive } from "./live-context.ts";
import { keys } from "./queries.ts";

const currentInstance = "/api/instances/current";

export const useStartInstance = () =>
  useInstanceMutation((start: { challenge: string; replace: boolean }) =>
    request<Instance>("POST", currentInstance, start),
  );
export const useRenewInstance = () => useInstanceMutation(() => request<Instance>("POST", `${currentInstance}/renew`));
export const useRestartInstance = () =>
  useInstanceMutation(() => request<Instance>("POST", `${currentInstance}/restart`));
export const useStopInstance = () =>
  useInstanceMutation(() => request<Instance | undefined>("DELETE", currentInstance));

export function useSignOut() {
  const changeIdentity = useChangeIdentity();
  return useMutation({
    mutationFn: () => request<SignedOut | undefined>("POST", "/api/sign-out"),
    onSuccess: (answer) => {
      // The identity provider has a session of its own.
      if (answer) location.assign(answer.url);
      return changeIdentity();
    },
  });
}

function useInstanceMutation<Variables = void>(mutationFn: (variables: Variables) => Promise<Instance | undefined>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn,
    onMutate: () => instanceUpdates(queries),
    onSuccess: (instance, _, updatesBefore) => writeInstance(queries, instance, updatesBefore),
  });
}

/** How often the cached instance was written. */
export function instanceUpdates(queries: QueryClient): number {
  return queries.getQueryState(keys.instance)?.dataUpdateCount ?? 0;
}

/**
 * Writes the answer to an action into the cache. Where a live message has arrived since the action was sent, the answer may
 * be the older of the two, and an instance that runs would be shown as starting for ever: it is read again instead. So it is
 * where the answer has no body.
 */
export async function writeInstance(
  queries: QueryClient,
  answer: Instance | undefined,
  updatesBefore: number,
): Promise<void> {
  await queries.cancelQueries({ queryKey: keys.instance });
  if (answer && instanceUpdates(queries) === updatesBefore) queries.setQueryData(keys.instance, answer);
  else await queries.invalidateQueries({ queryKey: keys.instance });
}

/** Everything in the cache was read as somebody else, and the cookie is only read when the socket is opened. */
export function useChangeIdentity(): () => Promise<void> {
  const queries = useQueryClient();
  const live = useLive();
  return async () => {
    live.reconnect();
    for (const queryKey of [keys.instance, keys.timeline, keys.sessions, keys.admin])
      queries.removeQueries({ queryKey });
    await queries.resetQueries({ queryKey: keys.player });
    await queries.invalidateQueries();
  };
}
