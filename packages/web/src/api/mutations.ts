/** What the pages change. Each answer goes into the cache at once; the live connection reports what happens later. */
import type { Instance, SignedOut } from "@berg/api/wire";
import { type QueryClient, useMutation, useQueryClient } from "@tanstack/react-query";
import { request } from "./client.ts";
import { useLive } from "./live-context.ts";
import { keys } from "./queries.ts";

const currentInstance = "/api/instances/current";

export function useStartInstance() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (start: { challenge: string; replace: boolean }) => request<Instance>("POST", currentInstance, start),
    onSuccess: (instance) => writeInstance(queries, instance),
  });
}

export function useRenewInstance() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => request<Instance>("POST", `${currentInstance}/renew`),
    onSuccess: (instance) => writeInstance(queries, instance),
  });
}

export function useRestartInstance() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => request<Instance>("POST", `${currentInstance}/restart`),
    onSuccess: (instance) => writeInstance(queries, instance),
  });
}

export function useStopInstance() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => request<Instance | undefined>("DELETE", currentInstance),
    onSuccess: (instance) => writeInstance(queries, instance),
  });
}

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

/** An answer without a body says nothing about the instance, so that it has to be read. */
async function writeInstance(queries: QueryClient, instance: Instance | undefined): Promise<void> {
  await queries.cancelQueries({ queryKey: keys.instance });
  if (instance) queries.setQueryData(keys.instance, instance);
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
