/** What routes and rules get: the database, the caches, the clock and the settings of this process. */
import type { Client, Clock, Informer, Logger } from "@berg/kube";
import type { Challenge, ChallengeInstance, Competition, CompetitionSpec, Page } from "@berg/resources";
import type { Kysely } from "kysely";
import type { Board } from "./board/board.ts";
import type { Tables } from "./database/schema.ts";
import type { LiveHub } from "./events/live-hub.ts";
import type { OutboxWorker } from "./outbox/worker.ts";
import type { PlayerList } from "./players/player-list.ts";
import type { Replicas } from "./replicas/replicas.ts";
import type { SessionCache } from "./sessions/session-cache.ts";

export interface ApiSettings {
  /** Where browsers reach the pages: decides links, redirects and which Origin is ours. No slash at the end. */
  readonly publicUrl: string;
  /** Name of the Competition object. */
  readonly competition: string;
  /** Where Challenges, ChallengeInstances, Pages and the Competition are. */
  readonly namespace: string;
  /** As the controller has it (CHALLENGE_MAX_RENEWALS). */
  readonly maxRenewals: number;
  readonly version: string;
  /** How many sockets one address may have; 200 if unset. */
  readonly socketsPerAddress?: number;
  /** How long the addresses of sign-ins are stored; 0: not at all; 30 days if unset. */
  readonly addressRetentionMs?: number;
}

/** Caches of the Kubernetes objects that answers are made of. */
export interface Caches {
  readonly challenges: Informer<Challenge>;
  readonly instances: Informer<ChallengeInstance>;
  readonly competitions: Informer<Competition>;
  readonly pages: Informer<Page>;
}

export interface ApiContext {
  readonly db: Kysely<Tables>;
  readonly settings: ApiSettings;
  readonly clock: Clock;
  readonly log: Logger;
  readonly hub: LiveHub;
  readonly sessions: SessionCache;
  readonly playerList: PlayerList;
  /** The scoreboard of this process. */
  readonly board: Board;
  /** Tells all replicas what ends sessions or changes players. */
  readonly replicas: Replicas;
  /** The rules as they are now. */
  competition(): CompetitionSpec;
  /** How often the time of an instance can be extended. */
  maxRenewals(): number;
  /** The code that players enter to register. Read when it is needed, so that a change counts at once; never logged. */
  registrationCode(): Promise<string | undefined>;
  /** Messages that are to be sent. Undefined where no mail server is configured. */
  readonly outbox?: OutboxWorker | undefined;
  /** HMAC key for flags. */
  readonly flagKey: Buffer;
  /** Throws a problem where Kubernetes has not been reached yet. */
  caches(): Caches;
  /** For changes that a player asks for directly, such as more time. */
  readonly client: Client;
  /** Enqueues a reconcile of the owner: the rows and the ChallengeInstance. */
  reconcileOwner(ownerId: string): void;
}

/** The name of the ChallengeInstance of an owner: one live instance each. */
export function instanceName(ownerId: string): string {
  return `owner-${ownerId}`;
}

/** The name of the ChallengeInstance of a row: somebody else may have created it under another name. */
export function objectName(row: { owner_id: string; object_name: string | null }): string {
  return row.object_name ?? instanceName(row.owner_id);
}
