/**
 * The API of one process: HTTP, database and live messages. Kubernetes is followed by a Manager, which the caller runs:
 * `attach` adds what the API needs to it. Until its caches are filled, what needs them answers 503.
 */
import { openDatabase } from "@berg/database";
import { type Client, type Clock, type Logger, type Manager, systemClock } from "@berg/kube";
import { startAdminSocket } from "./admin-socket/server.ts";
import type { Competition } from "./competition/competition.ts";
import type { ApiContext, ApiSettings } from "./context.ts";
import { migrations } from "./database/migrations.ts";
import type { Tables } from "./database/schema.ts";
import { LiveHub } from "./events/live-hub.ts";
import { type Follower, followKubernetes } from "./follow-kubernetes.ts";
import type { Pages } from "./http/pages.ts";
import type { AccountRules } from "./players/account-rules.ts";
import { linkForName } from "./players/accounts.ts";
import type { Role } from "./players/store.ts";
import { ProblemError } from "./problems.ts";
import { readRegistrationCode } from "./registration/code.ts";
import { createServer } from "./server.ts";
import { allowsAnonymousReading } from "./sessions/authenticate.ts";

export interface ApiOptions {
  settings: ApiSettings;
  competition: Competition;
  /** The URL of a PostgreSQL database, or the path of a SQLite file. */
  database: string;
  host: string;
  port: number;
  pages: Pages;
  client: Client;
  log: Logger;
  /** Path of a unix socket for the commands of `berg admin`. */
  adminSocket?: string;
  clock?: Clock;
}

export interface RunningApi extends AsyncDisposable {
  /** Before the manager runs; again with a new manager after a lost lease. */
  attach(manager: Manager): void;
  /** The URL of a new one-time link for the account with this name, which is created if there is none. */
  signInLink(account: { name: string; roles: Role[] }): Promise<string>;
}

const retryAfter = 2;
const socketsPerAddress = 200;

export async function startApi(options: ApiOptions): Promise<RunningApi> {
  const { settings, competition, client, log, clock = systemClock } = options;
  await using parts = new AsyncDisposableStack();
  const { db } = parts.use(
    await openDatabase<Tables>({
      database: options.database,
      component: "api",
      migrations,
      // A row that was answered for must not be lost in a power cut.
      synchronous: "full",
      log,
    }),
  );
  const { value } = await db
    .selectFrom("secret")
    .select("value")
    .where("name", "=", "flag-hmac")
    .executeTakeFirstOrThrow();
  let follower: Follower | undefined;
  const context: ApiContext = {
    ...{ db, settings, clock, log, competition, client },
    hub: new LiveHub({
      allowsAnonymous: () => allowsAnonymousReading(context),
      mostPerAddress: settings.socketsPerAddress ?? socketsPerAddress,
    }),
    accountRules: () => accountRulesOf(competition),
    registrationCode: () => readRegistrationCode(client, settings.namespace, context.accountRules().registration),
    flagKey: Buffer.from(value, "hex"),
    caches() {
      if (follower?.isSynced()) return follower.caches;
      throw new ProblemError("kubernetes_unavailable", "Berg is starting. Try again in a moment.", { retryAfter });
    },
    reconcileOwner: (ownerId) => follower?.reconcileOwner(ownerId),
  };
  const accountDeps = { db, clock, hub: context.hub, publicUrl: settings.publicUrl };
  if (options.adminSocket !== undefined) parts.use(await startAdminSocket(options.adminSocket, accountDeps, log));
  const app = await createServer(context, options.pages);
  parts.defer(() => app.close());
  await app.listen({ host: options.host, port: options.port });
  parts.defer(() => follower?.detach());
  const running = parts.move();
  return {
    attach(manager) {
      follower?.detach();
      follower = followKubernetes(manager, context);
    },
    signInLink: ({ name, roles }) => linkForName(accountDeps, { name, roles, kind: "one-time" }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Where the competition is not a Kubernetes object: nobody registers. */
function accountRulesOf({ eventName, eventOrganiser, eventLogoUrl, allowAnonymousAccess }: Competition): AccountRules {
  return {
    title: eventName,
    organiser: eventOrganiser,
    logoUrl: eventLogoUrl,
    registration: { mode: "closed" },
    visibility: { challenges: allowAnonymousAccess ? "public" : "players", board: "public" },
    playerAttributes: [],
  };
}
