/** What the pages read: one query a resource, each under its own key. */
import type { Challenge, CurrentPlayer, Instance, Metadata, SignInPreview } from "@berg/api/wire";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { systemClock } from "../clock.ts";
import { ApiProblem, request } from "./client.ts";

/** Metadata, and how far the server's clock is ahead of the clock of this device. */
export type TimedMetadata = Metadata & { clockOffsetMs: number };

export const keys = {
  metadata: ["metadata"],
  challenges: ["challenges"],
  challenge: (name: string) => ["challenge", name],
  player: ["player"],
  instance: ["instance"],
  signInPreview: (token: string) => ["sign-in-preview", token],
} as const;

export const metadataQuery = queryOptions({
  queryKey: keys.metadata,
  queryFn: async ({ signal }): Promise<TimedMetadata> => {
    const sentAt = systemClock.now();
    const metadata = await request<Metadata>("GET", "/api/metadata", undefined, signal);
    return withClockOffset(metadata, (sentAt + systemClock.now()) / 2);
  },
});

/** `localTime` is the time of this device at which the server read its own. */
export function withClockOffset(metadata: Metadata, localTime: number): TimedMetadata {
  return { ...metadata, clockOffsetMs: Date.parse(metadata.serverTime) - localTime };
}

export const challengesQuery = queryOptions({
  queryKey: keys.challenges,
  queryFn: ({ signal }) => request<Challenge[]>("GET", "/api/challenges", undefined, signal),
});

export const challengeQuery = (name: string) =>
  queryOptions({
    queryKey: keys.challenge(name),
    queryFn: ({ signal }) =>
      request<Challenge>("GET", `/api/challenges/${encodeURIComponent(name)}`, undefined, signal),
  });

/** Null where nobody is signed in. */
export const playerQuery = queryOptions({
  queryKey: keys.player,
  queryFn: ({ signal }) => nullWhenAnonymous(request<CurrentPlayer>("GET", "/api/players/current", undefined, signal)),
});

/** Null where nobody is signed in. */
export const instanceQuery = queryOptions({
  queryKey: keys.instance,
  queryFn: ({ signal }) => nullWhenAnonymous(request<Instance>("GET", "/api/instances/current", undefined, signal)),
});

/** Static, because each preview counts against the limit of tries: it must not be repeated with everything else. */
export const signInPreviewQuery = (token: string) =>
  queryOptions({
    queryKey: keys.signInPreview(token),
    queryFn: ({ signal }) => request<SignInPreview>("POST", "/api/sign-in/preview", { token }, signal),
    staleTime: "static",
    gcTime: 0,
  });

export const useMetadata = () => useQuery(metadataQuery);
export const useChallenges = () => useQuery(challengesQuery);
export const usePlayer = () => useQuery(playerQuery);

export function useInstance() {
  const { data: player } = usePlayer();
  return useQuery({ ...instanceQuery, enabled: Boolean(player) });
}

/** What players call the challenge; its technical name until that is known. */
export function useChallengeTitle(name: string): string {
  const { data } = useQuery({ ...challengesQuery, enabled: name !== "" });
  return data?.find((challenge) => challenge.name === name)?.displayName ?? name;
}

async function nullWhenAnonymous<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 401) return null;
    throw error;
  }
}
