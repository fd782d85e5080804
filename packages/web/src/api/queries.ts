/** What the pages read: one query a resource, each under its own key. */
import type { Challenge, CurrentPlayer, Instance, Metadata, Page, SignInOptions, Timeline } from "@berg/api/wire";
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
  timeline: ["timeline"],
  pages: ["pages"],
  signInOptions: ["sign-in-options"],
  signInProviders: ["sign-in-providers"],
  signInPreview: (token: string) => ["sign-in-preview", token],
  sessions: ["sessions"],
  /** Everything that only organisers read. */
  admin: ["admin"],
} as const;

/** Null where the organiser shows nothing to visitors who are not signed in. */
export const metadataQuery = queryOptions({
  queryKey: keys.metadata,
  queryFn: async ({ signal }): Promise<TimedMetadata | null> => {
    const sentAt = systemClock.now();
    const metadata = await nullWhenAnonymous(request<Metadata>("GET", "/api/metadata", undefined, signal));
    return metadata && withClockOffset(metadata, (sentAt + systemClock.now()) / 2);
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

/** Null for visitors who are not signed in. */
export const playerQuery = queryOptions({
  queryKey: keys.player,
  queryFn: ({ signal }) => nullWhenAnonymous(request<CurrentPlayer>("GET", "/api/players/current", undefined, signal)),
});

/** Null for visitors who are not signed in. */
export const instanceQuery = queryOptions({
  queryKey: keys.instance,
  queryFn: ({ signal }) => nullWhenAnonymous(request<Instance>("GET", "/api/instances/current", undefined, signal)),
});

export const pagesQuery = queryOptions({
  queryKey: keys.pages,
  queryFn: ({ signal }) => request<Page[]>("GET", "/api/pages", undefined, signal),
});

const recheckRegistrationMs = 15_000;

/** Readable by everybody. Repeated while registration is closed, so that the page notices when it opens. */
export const signInOptionsQuery = queryOptions({
  queryKey: keys.signInOptions,
  queryFn: ({ signal }) => request<SignInOptions>("GET", "/api/sign-in", undefined, signal),
  refetchInterval: ({ state }) => (state.data?.registration.isOpen === false ? recheckRegistrationMs : false),
});

export const useMetadata = () => useQuery(metadataQuery);
export const useChallenges = () => useQuery(challengesQuery);
export const usePlayer = () => useQuery(playerQuery);
export const usePages = () => useQuery(pagesQuery);

/** Whether the organiser shows nothing to visitors who are not signed in. */
export function useIsSignInRequired(): boolean {
  return useMetadata().data === null;
}

export function useInstance() {
  const { data: player } = usePlayer();
  return useQuery({ ...instanceQuery, enabled: Boolean(player) });
}

/** Name and logo of the event, also where everything else is for signed-in players only. */
export function useEvent(): Pick<Metadata, "eventName" | "eventOrganiser" | "eventLogoUrl"> | undefined {
  const { data: metadata } = useMetadata();
  const isSignInRequired = useIsSignInRequired();
  const { data: options } = useQuery({ ...signInOptionsQuery, enabled: isSignInRequired });
  return metadata ?? options;
}

const refreshTimelineMs = 2_000;

/** How the start of that instance goes. Undefined until it was read, or where it cannot be read. */
export function useTimeline({ id }: Pick<Instance, "id">, isStarting: boolean): Timeline | undefined {
  const { data } = useQuery({
    queryKey: [...keys.timeline, id],
    queryFn: ({ signal }) => request<Timeline>("GET", "/api/instances/current/timeline", undefined, signal),
    enabled: isStarting && id !== null,
    refetchInterval: isStarting ? refreshTimelineMs : false,
    // The stages of the instance are shown until it answers.
    retry: false,
  });
  return data?.instanceId === id ? data : undefined;
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
