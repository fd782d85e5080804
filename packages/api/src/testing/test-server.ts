/** The HTTP server with a database of its own and Challenges from memory, for `inject()`. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeKey, type Stored } from "@berg/apimachinery";
import { openDatabase } from "@berg/database";
import type { Clock, Logger } from "@berg/kube";
import { FakeClock } from "@berg/kube/testing";
import { type Challenge, type CompetitionSpec, competitionDefaults } from "@berg/resources";
import type { FastifyInstance } from "fastify";
import type { Kysely } from "kysely";
import { Board } from "../board/board.ts";
import type { ApiContext } from "../context.ts";
import { migrations } from "../database/migrations.ts";
import type { Tables } from "../database/schema.ts";
import { LiveHub } from "../events/live-hub.ts";
import { PlayerList } from "../players/player-list.ts";
import { ensurePlayer, type Role, resetApiKey } from "../players/store.ts";
import { Replicas } from "../replicas/replicas.ts";
import { createServer, type ServerParts } from "../server.ts";
import { SessionCache } from "../sessions/session-cache.ts";
import { createSession } from "../sessions/store.ts";
import { newTestDatabase } from "./test-database.ts";

const namespace = "berg";
export const publicUrl = "http://berg.localhost:8080";

export interface TestServer extends AsyncDisposable {
  readonly app: FastifyInstance;
  readonly context: ApiContext;
  readonly db: Kysely<Tables>;
  readonly directory: string;
  /** Every line of the log, as JSON. */
  readonly lines: string[];
  addChallenge(name: string, spec: Partial<Challenge["spec"]>): void;
  /** Headers of a signed-in player's browser. */
  signIn(roles?: Role[]): Promise<{ id: string; headers: Record<string, string> }>;
  apiKey(playerId: string): Promise<string>;
}

export interface TestServerOptions extends ServerParts {
  competition?: Partial<CompetitionSpec>;
  client?: ApiContext["client"];
  clock?: Clock;
}

export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { competition, client, clock = new FakeClock(), ...server } = options;
  await using parts = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), "berg-api-"));
  parts.defer(() => rm(directory, { recursive: true, force: true }));
  const { db, address } = parts.use(
    await openDatabase<Tables>({
      database: await newTestDatabase(join(directory, "api.db")),
      component: "api",
      migrations,
    }),
  );
  const lines: string[] = [];
  const write = (level: string) => (fields: object, message: string) =>
    void lines.push(JSON.stringify({ level, ...fields, message }));
  const log: Logger = {
    child: () => log,
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
  };
  const challenges = new Map<string, Stored<Challenge>>();
  const empty = { get: () => undefined, list: () => [] };
  const caches = {
    challenges: { get: (key: string) => challenges.get(key), list: () => [...challenges.values()] },
    ...{ instances: empty, competitions: empty, pages: empty },
  } as unknown as ReturnType<ApiContext["caches"]>;
  const hub = new LiveHub({ clock });
  const rules = { ...competitionDefaults(), ...competition };
  // A test may replace the rules of the context.
  const started: { context?: ApiContext } = {};
  const board = parts.use(
    await Board.load({
      ...{ db, clock, log, competition: () => started.context?.competition() ?? rules },
      challenges: () => [...challenges.values()],
    }),
  );
  const context: ApiContext = {
    ...{ board, db, clock, log, hub, replicas: new Replicas({ db, address, clock, log }) },
    sessions: new SessionCache({ db, clock, hub }),
    playerList: new PlayerList({ db, clock, competition: () => rules }),
    competition: () => rules,
    maxRenewals: () => 3,
    settings: { publicUrl, namespace, competition: "competition", maxRenewals: 3, version: "0" },
    flagKey: Buffer.alloc(32),
    caches: () => caches,
    client: client as ApiContext["client"],
    registrationCode: async () => undefined,
    reconcileOwner() {},
  };
  started.context = context;
  const app = await createServer(context, { reason: "not in this test" }, server);
  parts.defer(() => app.close());
  const running = parts.move();
  return {
    ...{ app, context, db, directory, lines },
    addChallenge(name, spec) {
      const full = { categories: [], tags: [], containers: [], attachments: [], ...spec };
      challenges.set(makeKey(namespace, name), { metadata: { name, namespace }, spec: full } as never);
    },
    async signIn(roles = ["player"]) {
      const player = await db
        .transaction()
        .execute((transaction) => ensurePlayer(transaction, { name: "Ada", roles, createdAt: 0 }));
      const { token } = await createSession(db, player, { now: clock.now() });
      return { id: player.id, headers: { cookie: `berg=${token}`, origin: publicUrl } };
    },
    apiKey: (playerId) => resetApiKey(db, playerId, []),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
