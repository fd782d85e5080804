/** What organisers read and change. Loaded with their pages only. */
import type { AdminInstances, InstanceEvents, InstanceLogs, Timeline } from "@berg/api/wire";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type AdminQuery, formatAdminQuery, pageSize } from "../logic/admin-query.ts";
import { request } from "./client.ts";
import { keys } from "./queries.ts";

const refreshDetailsMs = 5_000;

/** Live messages refresh it. The rows of before stay until the next ones are there. */
export const useAdminInstances = (query: AdminQuery) =>
  useQuery({
    queryKey: [...keys.admin, "instances", query],
    queryFn: ({ signal }) => {
      const params = formatAdminQuery(query);
      params.set("pageSize", String(pageSize));
      return request<AdminInstances>("GET", `/api/admin/instances?${params}`, undefined, signal);
    },
    placeholderData: keepPreviousData,
  });

/** Logs and events come from Kubernetes, which sends no messages about them. */
function useInstanceDetail<Result>(id: string, detail: "timeline" | "events" | "logs", isLive: boolean) {
  return useQuery({
    queryKey: [...keys.admin, "instance", id, detail],
    queryFn: ({ signal }) => request<Result>("GET", `${pathOf(id)}/${detail}`, undefined, signal),
    refetchInterval: isLive ? refreshDetailsMs : false,
  });
}

export const useInstanceTimeline = (id: string, isLive: boolean) => useInstanceDetail<Timeline>(id, "timeline", isLive);
export const useInstanceEvents = (id: string, isLive: boolean) =>
  useInstanceDetail<InstanceEvents>(id, "events", isLive);
export const useInstanceLogs = (id: string, isLive: boolean) => useInstanceDetail<InstanceLogs>(id, "logs", isLive);

export function useStopAnyInstance(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => request<unknown>("POST", `${pathOf(id)}/stop`),
    onSuccess: () => queries.invalidateQueries({ queryKey: keys.admin }),
  });
}

export function useExtendInstance(id: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (minutes: number) => request<unknown>("POST", `${pathOf(id)}/extend`, { minutes }),
    onSuccess: () => queries.invalidateQueries({ queryKey: keys.admin }),
  });
}

function pathOf(id: string): string {
  return `/api/instances/${encodeURIComponent(id)}`;
}
