/** What registration, sign-in and profile read and change. Loaded with those pages only. */
import type { CurrentPlayer, PersonalLink, Session, SignInPreview, SignInProvider } from "@berg/api/wire";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { request } from "./client.ts";
import { useChangeIdentity } from "./mutations.ts";
import { keys } from "./queries.ts";

const currentPlayer = "/api/players/current";

export interface Registration {
  name: string;
  code: string;
  attributes: Record<string, string>;
  email?: string;
}

/** Static, because each preview counts against the limit of tries: it must not be repeated with everything else. */
export const signInPreviewQuery = (token: string) =>
  queryOptions({
    queryKey: keys.signInPreview(token),
    queryFn: ({ signal }) => request<SignInPreview>("POST", "/api/sign-in/preview", { token }, signal),
    staleTime: "static",
    gcTime: 0,
  });

export const useSessions = () =>
  useQuery({
    queryKey: keys.sessions,
    queryFn: ({ signal }) => request<Session[]>("GET", `${currentPlayer}/sessions`, undefined, signal),
  });

export const signInProvidersQuery = queryOptions({
  queryKey: keys.signInProviders,
  queryFn: ({ signal }) => request<SignInProvider[]>("GET", "/api/sign-in/providers", undefined, signal),
});

export function useSignIn() {
  const changeIdentity = useChangeIdentity();
  return useMutation({
    mutationFn: (token: string) => request<void>("POST", "/api/sign-in", { token }),
    onSuccess: changeIdentity,
  });
}

export function useMailLostLink() {
  return useMutation({ mutationFn: (email: string) => request<null>("POST", "/api/sign-in/lost", { email }) });
}

/** The answer sets the session cookie. It holds the link, so that nothing may keep it from being shown. */
export function useRegister() {
  const changeIdentity = useChangeIdentity();
  return useMutation({
    mutationFn: (registration: Registration) => request<PersonalLink>("POST", "/api/registration", registration),
    onSuccess: () => void changeIdentity(),
  });
}

export function useUpdatePlayer() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (changes: { name?: string; attributes: Record<string, string>; email?: string | null }) =>
      request<CurrentPlayer | undefined>("PATCH", currentPlayer, changes),
    onSuccess: () => queries.invalidateQueries({ queryKey: keys.player }),
  });
}

/** Creates a key, too: there is none before the first reset. */
export function useResetApiKey() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => request<string>("DELETE", `${currentPlayer}/api-key`),
    onSuccess: () => queries.invalidateQueries({ queryKey: keys.player }),
  });
}

export function useReplaceLink() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => request<PersonalLink>("POST", `${currentPlayer}/link`),
    onSuccess: () => queries.invalidateQueries({ queryKey: keys.sessions }),
  });
}

/** One session, or all but the current one. */
export function useEndSessions() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id?: string) =>
      request<void>("DELETE", `${currentPlayer}/sessions${id === undefined ? "" : `/${encodeURIComponent(id)}`}`),
    onSuccess: () => queries.invalidateQueries({ queryKey: keys.sessions }),
  });
}

/** `onDeleted` leaves the profile, which is no more. */
export function useDeleteAccount(onDeleted: () => void) {
  const changeIdentity = useChangeIdentity();
  return useMutation({
    mutationFn: () => request<void>("DELETE", currentPlayer),
    onSuccess: () => {
      onDeleted();
      return changeIdentity();
    },
  });
}
