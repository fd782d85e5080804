/**
 * What the API sends and takes, as the pages and other clients see it: one zod schema a shape. Paths, field names and types
 * are those of the original platform; what was added since is marked. Times are RFC 3339 in UTC.
 */
import { z } from "zod";
import type { Announcement, Solve, Team } from "./wire-compete.ts";

export * from "./wire-compete.ts";

const time = () => z.iso.datetime().describe("RFC 3339, in UTC.");

export const metadata = z
  .object({
    version: z.string(),
    eventName: z.string(),
    eventOrganiser: z.string(),
    eventLogoUrl: z.string(),
    start: time(),
    end: time(),
    allowAnonymousAccess: z.boolean(),
    playerAttributes: z.array(
      z.object({
        name: z.string(),
        title: z.string(),
        description: z.string(),
        public: z.boolean(),
        required: z.boolean(),
        values: z.array(z.object({ value: z.string(), title: z.string(), description: z.string() })),
      }),
    ),
    freezeStart: time().nullable(),
    freezeEnd: time().nullable(),
    teams: z.boolean(),
    challengeMaximumValue: z.int(),
    challengeMinimumValue: z.int(),
    challengeSolvesBeforeMinimum: z.int(),
    links: z.array(z.object({ title: z.string(), url: z.string() })).describe("Of the organiser. Added."),
    pauseStart: time().nullable().describe("Added."),
    pauseEnd: time().nullable().describe("Added."),
    afterEnd: z.enum(["closed", "practice"]).describe("Added."),
    serverTime: time().describe("The server's clock at the moment of the answer. Added."),
  })
  .describe("What the competition is called, when it takes place, and by which rules.");
export type Metadata = z.infer<typeof metadata>;

export const challenge = z
  .object({
    name: z.string(),
    displayName: z.string(),
    author: z.string(),
    description: z.string().describe("HTML, sanitised by the server."),
    hideUntil: time().nullable(),
    categories: z.array(z.string()),
    tags: z.array(z.string()),
    event: z.string(),
    difficulty: z.string(),
    flagFormat: z.string(),
    attachments: z.array(z.object({ fileName: z.string(), downloadUrl: z.string() })),
    hasRemote: z.boolean().describe("Whether it has containers, so that an instance can be started."),
    connectionInfo: z.string().nullable().describe("How to reach a service that all players share. Added."),
    closesAt: time().nullable().describe("From this time on it takes no flags. Added."),
    prerequisites: z.array(z.string()).describe("Challenges to solve before this one can be played. Added."),
    hints: z
      .array(z.object({ name: z.string(), title: z.string(), cost: z.int() }))
      .describe("Without their content, which is read by unlocking them. Added."),
  })
  .describe("One challenge, as players see it.");
export type Challenge = z.infer<typeof challenge>;

/** The numbers of `Instance.status`. */
export const instanceStatus = { none: 0, starting: 1, running: 2, terminating: 3 } as const;

export const service = z.object({
  name: z.string().nullable(),
  hostname: z.string(),
  port: z.int(),
  protocol: z.enum(["tcp", "udp"]),
  appProtocol: z.string(),
  tls: z.boolean(),
});
export type Service = z.infer<typeof service>;

/** The steps of a start in their order; each has a time once it is reached. */
export const stages = ["requested", "accepted", "namespace", "workloads", "ready"] as const;
export type Stage = (typeof stages)[number];

export const instance = z
  .object({
    id: z.uuid().nullable(),
    playerId: z.uuid().nullable().describe("The recipient's own id."),
    name: z.string().describe("Name of the challenge; empty where nothing runs."),
    status: z.int().min(0).max(3).describe("0 none, 1 starting, 2 running, 3 terminating."),
    services: z.array(service),
    timeout: time().nullable().describe("When it will be stopped."),
    startedAt: time().nullable(),
    terminatedAt: time().nullable(),
    ownerId: z.uuid().nullable().describe("Added."),
    startedBy: z.uuid().nullable().describe("Added."),
    phase: z.string().describe("Phase of the ChallengeInstance, or Requested before it exists. Added."),
    reason: z.string().nullable().describe("Why it failed or waits, as one word. Added."),
    message: z.string().nullable().describe("The same in plain words. Added."),
    readyAt: time().nullable().describe("Added."),
    renewalsLeft: z.int().describe("How often its time can still be extended. Added."),
    stages: z
      .array(z.object({ stage: z.enum(stages), at: time().nullable() }))
      .describe("How far the start has come. Added."),
  })
  .describe("The instance of one owner.");
export type Instance = z.infer<typeof instance>;

/** The steps of a start as pods and events show them. */
export const timelineStages = ["requested", "accepted", "namespace", "scheduled", "image-pulled", "ready"] as const;

export const timeline = z
  .object({
    instanceId: z.uuid(),
    stages: z.array(z.object({ stage: z.enum(timelineStages), at: time().nullable() })),
    failure: z.object({ at: time(), reason: z.string(), message: z.string() }).nullable(),
  })
  .describe("How a start went, step by step. A step that was not reached has no time.");
export type Timeline = z.infer<typeof timeline>;

export const instanceSorts = ["startedAt", "timeout", "owner", "challenge", "phase"] as const;

export const adminInstancesQuery = z.object({
  search: z.string().max(128).default("").describe("Part of the name of the owner or challenge, or an id."),
  challenge: z.string().max(64).default(""),
  phase: z.string().max(32).default(""),
  state: z.enum(["open", "ended", "all"]).default("open"),
  sort: z.enum(instanceSorts).default("startedAt"),
  order: z.enum(["asc", "desc"]).default("desc"),
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  pageSize: z.coerce.number().int().min(1).max(200).default(50),
});

export const adminInstance = instance
  .extend({ ownerName: z.string().nullable(), terminationReason: z.string().nullable() })
  .describe("An instance as organisers see it.");
export type AdminInstance = z.infer<typeof adminInstance>;

export const adminInstances = z
  .object({ items: z.array(adminInstance), total: z.int(), page: z.int(), pageSize: z.int() })
  .describe("One page of the instances of all owners.");
export type AdminInstances = z.infer<typeof adminInstances>;

export const extendRequest = z.object({
  minutes: z
    .int()
    .min(1)
    .max(7 * 24 * 60)
    .describe("Added to the time left."),
});

export const instanceLogs = z
  .array(z.object({ pod: z.string(), container: z.string(), text: z.string(), isTruncated: z.boolean() }))
  .describe("The last lines of each container, with known flags masked.");
export type InstanceLogs = z.infer<typeof instanceLogs>;

export const instanceEvents = z
  .array(
    z.object({
      at: time(),
      type: z.string(),
      reason: z.string(),
      message: z.string(),
      object: z.string().describe("Kind and name of the object that it is about."),
      count: z.int(),
    }),
  )
  .describe("What Kubernetes and the controller recorded, oldest first; known flags masked.");
export type InstanceEvents = z.infer<typeof instanceEvents>;

export const page = z
  .object({ title: z.string(), path: z.string(), index: z.int(), content: z.string().describe("HTML, sanitised.") })
  .describe("A page that the organiser wrote.");
export type Page = z.infer<typeof page>;

export const currentPlayer = z
  .object({
    id: z.uuid(),
    name: z.string(),
    roles: z.array(z.string()),
    federatedId: z.string(),
    apiKeyPlaceholder: z.string().nullable(),
    attributes: z.record(z.string(), z.string()),
    email: z.string().nullable().describe("Where lost sign-in links are sent. No one else sees it. Added."),
  })
  .describe("The player who asks.");
export type CurrentPlayer = z.infer<typeof currentPlayer>;

export const player = z
  .object({ id: z.uuid(), name: z.string(), attributes: z.record(z.string(), z.string()) })
  .describe("A player, as everybody sees it.");

export type Player = z.infer<typeof player>;

const attributes = z.record(z.string().min(1).max(128), z.string().min(1).max(128));
const visible = [/^[^\p{C}]*$/u, "must not contain control or invisible characters"] as const;
/** As people may call themselves: something visible, no control characters. */
const playerName = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .regex(...visible);

const email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .regex(z.regexes.email, "must be an e-mail address, such as ada@example.com");

export const patchPlayerRequest = z.object({
  name: playerName.optional(),
  attributes: attributes.default({}),
  email: email.nullable().optional().describe("Null removes it. Not with an API key. Added."),
});

export const session = z
  .object({
    id: z.uuid(),
    createdAt: time(),
    expiresAt: time(),
    userAgent: z.string(),
    address: z.string().nullable().describe("Where the sign-in came from, while it is stored. Added."),
    isCurrent: z.boolean().describe("Whether it is the session that asks."),
  })
  .describe("One browser in which the player is signed in.");
export type Session = z.infer<typeof session>;

export const signInOptions = z
  .object({
    eventName: z.string(),
    eventOrganiser: z.string(),
    eventLogoUrl: z.string(),
    registration: z.object({
      mode: z.enum(["open", "code", "closed"]),
      isOpen: z.boolean().describe("Whether somebody can register now."),
      opensAt: time().nullable(),
      closesAt: time().nullable(),
      isFull: z.boolean(),
    }),
    playerAttributes: metadata.shape.playerAttributes,
    canMailLinks: z.boolean().describe("Whether lost sign-in links can be sent by mail. Added."),
    serverTime: time(),
  })
  .describe("How to sign in or register; everybody may read it.");
export type SignInOptions = z.infer<typeof signInOptions>;

export const registrationRequest = z.object({
  name: playerName,
  code: z.string().max(256).default("").describe("Where the organiser asks for one."),
  attributes: attributes.default({}),
  email: email.optional().describe("Where lost sign-in links are sent. Added."),
});

export const personalLink = z
  .object({ link: z.string().describe("Signs in until it is replaced. It is shown once.") })
  .describe("A personal sign-in link.");
export type PersonalLink = z.infer<typeof personalLink>;

export const apiKeyQuery = z.object({
  scopes: z
    .string()
    .max(64)
    .default("")
    .describe("Own roles that the key has beside player, with commas between them. Added."),
});

const role = z.enum(["player", "author", "support", "admin"]);
const roleList = z.array(role).max(16).describe("Every account has the role player.");

export const adminPlayersQuery = z.object({
  search: z
    .string()
    .max(128)
    .regex(...visible)
    .default("")
    .describe("Part of the name, or an id."),
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  pageSize: z.coerce.number().int().min(1).max(200).default(50),
});

export const adminPlayer = z
  .object({
    id: z.uuid(),
    name: z.string(),
    roles: z.array(z.string()),
    providerRoles: z.array(z.string()).describe("Those of `roles` that the identity provider gives."),
    createdAt: time(),
    federatedId: z.string(),
  })
  .describe("A player, as admins see it.");
export type AdminPlayer = z.infer<typeof adminPlayer>;

export const adminPlayers = z
  .object({ items: z.array(adminPlayer), total: z.int(), page: z.int(), pageSize: z.int() })
  .describe("One page of all players, newest first.");
export type AdminPlayers = z.infer<typeof adminPlayers>;

export const createPlayerRequest = z.object({ name: playerName, roles: roleList.default([]) });

export const createdPlayer = z
  .object({ player: adminPlayer, link: personalLink.shape.link })
  .describe("A new account and its personal sign-in link.");
export type CreatedPlayer = z.infer<typeof createdPlayer>;

export const rolesRequest = z.object({ roles: roleList });

export const linkRequest = z.object({
  kind: z
    .enum(["personal", "one-time"])
    .default("one-time")
    .describe("A personal link replaces the one before and ends the sessions; a one-time link does neither."),
});

export const linksRequest = z.object({
  playerIds: z
    .union([z.literal("all"), z.array(z.string().max(64)).min(1).max(1000)])
    .describe("Ids; or all: every account that signs in with a link, without those of staff."),
  replacePersonalLinks: z
    .literal(true, "must be true: the links that players have now stop working, and their sessions end")
    .describe("Says that you know: the links that players have now stop working, and their sessions end."),
});

export const signInLink = z
  .object({ link: z.string(), kind: linkRequest.shape.kind.unwrap() })
  .describe("A sign-in link for a player.");
export type SignInLink = z.infer<typeof signInLink>;

export const startRequest = z.object({
  challenge: z.string().min(1).max(64),
  replace: z.boolean().default(false).describe("Stop what runs first. Added."),
});

export const signInRequest = z.object({ token: z.string().min(1).max(128) });

export const lostLinkRequest = z.object({ email });

export const signInPreview = z
  .object({
    name: z.string().describe("The name of the account of the link."),
    replaces: z.string().nullable().describe("The name of the account that is signed in now, if it is another one."),
  })
  .describe("What a sign-in link would do.");
export type SignInPreview = z.infer<typeof signInPreview>;

export const signInProvider = z
  .object({ name: z.string(), title: z.string().describe("What players call it.") })
  .describe("An identity provider. `GET /api/sign-in/<name>` begins a sign-in there.");
export type SignInProvider = z.infer<typeof signInProvider>;

/** Why a sign-in at a provider failed: `/sign-in?error=<code>` is where the browser is sent then. */
export const signInFailures = [
  "provider_unavailable",
  "sign_in_cancelled",
  "sign_in_expired",
  "sign_in_refused",
  "registration_closed",
  "registration_code_required",
  "registration_full",
  "banned",
  "too_many_requests",
  "internal_error",
] as const;
export type SignInFailure = (typeof signInFailures)[number];

export const signedOut = z
  .object({ url: z.string().describe("Where the session at the identity provider is ended.") })
  .describe("The session has ended here. Send the browser to `url` to end the one at the provider, too.");
export type SignedOut = z.infer<typeof signedOut>;

/** RFC 9457. `code` is stable; `detail` says what to do. */
export const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string(),
  field: z.string().optional().describe("The field of the request that is wrong."),
  retryAfter: z.int().optional().describe("Seconds after which a retry makes sense."),
});
export type Problem = z.infer<typeof problem>;

/** What everybody may read has changed, as clients of the original hear of it. */
export type PublicMessage =
  | { type: "challenge"; message: Challenge }
  | { type: "challenge-delete"; message: string }
  | { type: "player"; message: Player }
  | { type: "player-delete"; message: string }
  | { type: "team"; message: Team }
  | { type: "team-delete"; message: string }
  | { type: "announcement"; message: Announcement }
  | { type: "announcement-delete"; message: string }
  | { type: "page"; message: Page }
  | { type: "page-delete"; message: string }
  | { type: "metadata"; message: Metadata };

/** Sent once to each connection, and not again after a reconnect. */
export type SolveMessage = { type: "solve"; message: Solve };

/** One object that was added, changed or deleted. */
export interface TickChange {
  type: "challenge" | "page" | "player" | "team" | "announcement" | "metadata";
  /** Name of the challenge, path of the page, or id of the player, team or announcement. */
  id: string | null;
  version: string;
}

/** The same for clients that sent `subscribe`: what to read again, in place of the content. Added. */
export interface Tick {
  /** Sent as `since` after a reconnect. */
  version: string;
  /** Everything may have changed. */
  reload: boolean;
  changes: TickChange[];
}

/** For clients that sent `subscribe`: the version of the scoreboard, where it has changed. Added. */
export interface BoardTick {
  version: string;
  /** Of the full cut; for admins only. */
  full?: string;
}

/** Messages of `/api/events`, server to client. */
export type ServerMessage =
  | { type: "current-player"; message: string | null }
  | { type: "pong"; message: unknown }
  | { type: "error"; message: string }
  | { type: "instance"; message: Instance }
  | { type: "tick"; message: Tick }
  | { type: "scoreboard"; message: BoardTick }
  | SolveMessage
  | PublicMessage;
