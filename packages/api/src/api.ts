/**
 * The API of one process: HTTP, database and live messages. Kubernetes is followed by a Manager, which the caller runs:
 * `attach` adds what the API needs to it. Until its caches are filled, what needs them answers 503.
 */
import type { AddressInfo } from "node:net";
import { openDatabase, requestTimeouts } from "@berg/database";
import { type Client, type Clock, type Logger, type Manager, systemClock } from "@berg/kube";
import type { FastifyInstance } from "fastify";
import { startAdminSocket } from "./admin-socket/server.ts";
import { Board } from "./board/board.ts";
import { CurrentCompetition } from "./competition/current-competition.ts";
import { allowsAnonymousReading } from "./competition/rules.ts";
import type { ApiContext, ApiSettings, Caches } from "./context.ts";
import { migrations } from "./database/migrations.ts";
import { DatabaseProbe } from "./database/probe.ts";
import { Retention } from "./database/retention.ts";
import type { Tables } from "./database/schema.ts";
import { LiveHub } from "./events/live-hub.ts";
import { publishBoard } from "./events/publish-board.ts";
import { type Follower, followKubernetes } from "./follow-kubernetes.ts";
import type { HandoutSettings } from "./handouts/settings.ts";
import type { Pages } from "./http/pages.ts";
import type { MailSettings } from "./mail/settings.ts";
import type { ApiMetrics } from "./metrics.ts";
import { Provider } from "./openid/provider.ts";
import type { ProviderSettings } from "./openid/settings.ts";
import { createOutbox } from "./outbox/create-outbox.ts";
import { linkForName } from "./players/accounts.ts";
import { PlayerList } from "./players/player-list.ts";
import type { Role } from "./players/store.ts";
import { ProblemError } from "./problems.ts";
import { readRegistrationCode } from "./registration/code.ts";
import { listenerOf } from "./replicas/apply.ts";
import { Replicas } from "./replicas/replicas.ts";
import { createServer } from "./server.ts";
import { retentionOf } from "./sessions/addresses.ts";
import { SessionCache } from "./sessions/session-cache.ts";

export interface ApiOptions {
  settings: ApiSettings;
  /** The URL of a PostgreSQL database, or the path of a SQLite file. */
  database: string;
  /** Connections to PostgreSQL at most, beside the one for notifications. */
  poolSize?: number;
  /** Queries that take longer are logged, without their values. */
  slowQueryMs?: number;
  host: string;
  port: number;
  pages: Pages;
  client: Client;
  log: Logger;
  /** Path of a unix socket for the commands of `berg admin`. */
  adminSocket?: string;
  metrics?: ApiMetrics;
  /** Where files for players come from; nowhere by default. */
  handouts?: HandoutSettings;
  /** Networks of the proxies whose `X-Forwarded-…` headers count; nobody's by default. */
  trustedProxies?: readonly string[];
  /** Without it no mail is sent. */
  mail?: MailSettings | undefined;
  /** Identity providers that players sign in with; none by default. */
  providers?: readonly ProviderSettings[];
  clock?: Clock;
}

export interface RunningApi extends AsyncDisposable {
  /** Where it listens: the port may have been chosen by the system. */
  readonly port: number;
  /** For `/readyz`: each says what is wrong, or undefined. */
  readonly readyChecks: Readonly<Record<"database" | "kubernetes", () => string | undefined>>;
  /** For `/readyz?verbose`: the identity providers. One that is away does not make the API unready. */
  readonly readyNotes: Readonly<Record<string, () => string>>;
  /** Takes no more requests, answers those under way and drops the WebSockets. Disposal does it too. */
  stopServing(): Promise<void>;
  /** Before the manager runs; again with a new manager after a lost lease. */
  attach(manager: Manager): void;
  /** The URL of a new one-time link for the account with this name, which is created if there is none. */
  signInLink(account: { name: string; roles: Role[] }): Promise<string>;
}

const retryAfter = 2;
const socketsPerAddress = 200;
/** How long requests under way may take at the end; less than the 30 s that a pod is given. */
const drainMs = 10_000;

export async function startApi(options: ApiOptions): Promise<RunningApi> {
  const { settings, client, log, clock = systemClock } = options;
  await using parts = new AsyncDisposableStack();
  const { poolSize, slowQueryMs } = options;
  const opened = parts.use(
    await openDatabase<Tables>({
      database: options.database,
      component: "api",
      migrations,
      pool: { ...(poolSize !== undefined && { size: poolSize }), timeouts: requestTimeouts },
      ...(slowQueryMs !== undefined && { slowQueryMs }),
      // A row that was answered for must not be lost in a power cut.
      synchronous: "full",
      log,
    }),
  );
  const { db, address } = opened;
  const { value } = await db
    .selectFrom("secret")
    .select("value")
    .where("name", "=", "flag-hmac")
    .executeTakeFirstOrThrow();
  const competition = await CurrentCompetition.load({ db, clock, log, name: settings.competition });
  const rules = () => competition.spec;
  const outbox =
    options.mail && createOutbox({ db, settings, clock, log, competition: rules }, options.mail, options.metrics);
  let follower: Follower | undefined;
  /** Those of the follower before, from a lost lease until the new ones are filled: old answers rather than none. */
  let previous: Caches | undefined;
  const hub = new LiveHub({
    clock,
    allowsAnonymous: () => allowsAnonymousReading(competition.spec),
    boardAudience: () => competition.spec.visibility.board,
    mostPerAddress: settings.socketsPerAddress ?? socketsPerAddress,
  });
  const replicas = new Replicas({ db, address, clock, log });
  const challenges = () => (follower?.isSynced() ? follower.caches.challenges.list() : []);
  const board = parts.use(await Board.load({ db, clock, log, competition: rules, challenges }));
  const context: ApiContext = {
    ...{ board, db, settings, clock, log, client, outbox, hub, replicas },
    sessions: new SessionCache({ db, clock, hub }),
    playerList: new PlayerList({ db, clock, competition: rules }),
    competition: rules,
    maxRenewals: () => Math.min(settings.maxRenewals, competition.spec.instances.maxRenewals ?? settings.maxRenewals),
    registrationCode: () => readRegistrationCode(client, settings.namespace, competition.spec.registration),
    flagKey: Buffer.from(value, "hex"),
    caches() {
      if (follower?.isSynced()) {
        previous = undefined;
        return follower.caches;
      }
      if (previous) return previous;
      throw new ProblemError("kubernetes_unavailable", "Berg is starting. Try again in a moment.", { retryAfter });
    },
    reconcileOwner(ownerId) {
      follower?.reconcileOwner(ownerId);
      replicas.hint({ kind: "owner", ownerId });
    },
  };
  publishBoard(context);
  const listener = listenerOf(context, (ownerId) => follower?.reconcileOwner(ownerId));
  parts.use(await replicas.start(listener));
  const accountDeps = { db, clock, replicas, publicUrl: settings.publicUrl };
  if (options.adminSocket !== undefined) parts.use(await startAdminSocket(options.adminSocket, accountDeps, log));
  parts.use(new Retention({ db, clock, log, addressRetentionMs: retentionOf(settings) }));
  if (outbox) {
    parts.use(outbox);
    void outbox.run();
  }
  const probe = parts.use(new DatabaseProbe(db, clock));
  const deps = { publicUrl: settings.publicUrl, clock, log };
  const providers = (options.providers ?? []).map((one) => parts.use(new Provider(one, deps)));
  for (const provider of providers) provider.startProbing();
  options.metrics?.sample({
    sockets: () => context.hub.size,
    outboxPending: outbox && (() => outbox.pending),
    isDatabaseUp: () => probe.check() === undefined,
    // Before the caches are filled nobody knows.
    providers: () => providers,
    poolUsage: () => opened.poolUsage(),
    isCompetitionMissing: () => follower?.isSynced() === true && competition.isMissing,
  });
  const { pages, metrics, handouts, trustedProxies } = options;
  const app = await createServer(context, pages, { metrics, handouts, trustedProxies, providers });
  let closed: Promise<void> | undefined;
  const stopServing = () => (closed ??= drain(app, clock));
  parts.defer(stopServing);
  await app.listen({ host: options.host, port: options.port });
  parts.defer(() => follower?.detach());
  const running = parts.move();
  return {
    port: (app.server.address() as AddressInfo).port,
    readyChecks: {
      database: () => probe.check(),
      kubernetes: () => (follower?.isSynced() ? undefined : "waiting for caches"),
    },
    readyNotes: Object.fromEntries(
      providers.map((provider) => [
        `provider ${provider.name}`,
        () => (provider.isUp === undefined ? "not asked yet" : provider.isUp ? "answers" : "does not answer"),
      ]),
    ),
    stopServing,
    attach(manager) {
      if (follower?.isSynced()) previous = follower.caches;
      follower?.detach();
      follower = followKubernetes(manager, context, competition, options.metrics);
    },
    signInLink: ({ name, roles }) => linkForName(accountDeps, { name, roles, kind: "one-time" }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

async function drain(app: FastifyInstance, clock: Clock): Promise<void> {
  const late = clock.setTimer(drainMs, () => app.server.closeAllConnections());
  await app.close();
  late.cancel();
}
