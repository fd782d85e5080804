/** The API without Kubernetes, on a database in memory, with a clock that stands still: for what concerns accounts. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { Stored } from "@berg/apimachinery";
import { openDatabase } from "@berg/database";
import { type Client, type Logger, systemClock } from "@berg/kube";
import { FakeClock } from "@berg/kube/testing";
import { type Challenge, type CompetitionSpec, competitionDefaults } from "@berg/resources";
import type { FastifyInstance } from "fastify";
import type { Kysely, KyselyPlugin } from "kysely";
import { WebSocket } from "ws";
import { Board } from "../board/board.ts";
import { allowsAnonymousReading } from "../competition/rules.ts";
import type { ApiContext, Caches } from "../context.ts";
import { migrations } from "../database/migrations.ts";
import type { Tables } from "../database/schema.ts";
import { LiveHub } from "../events/live-hub.ts";
import { publishBoard } from "../events/publish-board.ts";
import type { MailSettings } from "../mail/settings.ts";
import { Provider } from "../openid/provider.ts";
import type { ProviderSettings } from "../openid/settings.ts";
import { createOutbox } from "../outbox/create-outbox.ts";
import type { OutboxWorker } from "../outbox/worker.ts";
import { PlayerList } from "../players/player-list.ts";
import { ensurePlayer, findPlayer, type NewPlayer, type Role } from "../players/store.ts";
import { listenerOf } from "../replicas/apply.ts";
import { Replicas } from "../replicas/replicas.ts";
import { createServer } from "../server.ts";
import { SessionCache } from "../sessions/session-cache.ts";
import { createSession } from "../sessions/store.ts";
import type { ServerMessage } from "../wire.ts";
import { newTestDatabase } from "./test-database.ts";

export const publicUrl = "http://berg.localhost:8080";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface Call {
  body?: unknown;
  headers?: Record<string, string | undefined>;
  address?: string;
}

export interface Answer<T> {
  status: number;
  body: T;
  text: string;
  headers: Record<string, number | string | string[] | undefined>;
  /** The session that it sets, as a browser sends it back; empty where it clears it. */
  cookie: string | undefined;
}

export interface TestApiOptions {
  /** Sockets. */
  mostPerAddress?: number;
  /** In place of an empty one of its own. */
  database?: string;
  /** A mail server. Its outbox delivers when it is told to: `api.outbox.run()`. */
  mail?: MailSettings;
  addressRetentionMs?: number;
  /** Networks of proxies whose forwarded headers count. */
  trustedProxies?: readonly string[];
  /** Identity providers. */
  providers?: readonly ProviderSettings[];
  /** Whether it talks to others on the same database. */
  isReplica?: boolean;
  /** Sees every query. */
  plugin?: KyselyPlugin;
}

export class TestApi implements AsyncDisposable {
  readonly clock = new FakeClock();
  /** What was logged. */
  readonly logged: string[] = [];
  /** Owners whose reconcile was asked for. */
  readonly reconciled: string[] = [];
  rules: CompetitionSpec = {
    ...competitionDefaults(),
    title: "Test",
    organiser: "Somebody",
    registration: { mode: "open" },
  };
  code: string | undefined;
  /** What the scoreboard knows of. */
  challenges: Stored<Challenge>[] = [];
  context!: ApiContext;
  #app!: FastifyInstance;
  #listening: Promise<string> | undefined;
  #parts = new AsyncDisposableStack();

  static async start(options: TestApiOptions = {}): Promise<TestApi> {
    const { mostPerAddress, database, isReplica = false } = options;
    const { mail, addressRetentionMs, trustedProxies, providers = [], plugin } = options;
    const api = new TestApi();
    const opened = api.#parts.use(
      await openDatabase<Tables>({ database: database ?? (await newTestDatabase()), component: "api", migrations }),
    );
    const { address } = opened;
    const db = plugin ? opened.db.withPlugin(plugin) : opened.db;
    const write = (fields: unknown, text?: unknown) => void api.logged.push(JSON.stringify([fields, text]));
    const log = { debug: write, info: write, warn: write, error: write } as Logger;
    const { clock } = api;
    const hub = new LiveHub({
      clock,
      allowsAnonymous: () => allowsAnonymousReading(api.rules),
      boardAudience: () => api.rules.visibility.board,
      ...(mostPerAddress !== undefined && { mostPerAddress }),
    });
    // Polls and limits of replicas follow the time of PostgreSQL, and not the clock of a test.
    const inMemory = { kind: "sqlite", path: ":memory:", shown: "" } as const;
    const replicas = new Replicas({ db, address: isReplica ? address : inMemory, clock: systemClock, log });
    const board = api.#parts.use(
      await Board.load({ db, clock, log, competition: () => api.rules, challenges: () => api.challenges }),
    );
    api.context = {
      ...{ board, db, clock, log, hub, replicas, flagKey: Buffer.alloc(32) },
      sessions: new SessionCache({ db, clock, hub }),
      playerList: new PlayerList({ db, clock, competition: () => api.rules }),
      settings: {
        ...{ publicUrl, namespace: "berg", competition: "competition", maxRenewals: 3, version: "0.0.0" },
        ...(addressRetentionMs !== undefined && { addressRetentionMs }),
      },
      competition: () => api.rules,
      maxRenewals: () => 3,
      registrationCode: async () => api.code,
      client: {} as Client,
      caches: () => ({ instances: { get: () => undefined } }) as unknown as Caches,
      reconcileOwner(ownerId) {
        api.reconciled.push(ownerId);
        replicas.hint({ kind: "owner", ownerId });
      },
    };
    if (mail) api.context = { ...api.context, outbox: api.#parts.use(createOutbox(api.context, mail)) };
    publishBoard(api.context);
    const listener = listenerOf(api.context, (ownerId) => void api.reconciled.push(ownerId));
    api.#parts.use(await replicas.start(listener));
    api.#app = await createServer(
      api.context,
      { reason: "there are none" },
      {
        trustedProxies,
        providers: providers.map((one) => api.#parts.use(new Provider(one, { publicUrl, clock, log }))),
      },
    );
    api.#parts.defer(() => api.#app.close());
    return api;
  }

  get outbox(): OutboxWorker {
    if (!this.context.outbox) throw new Error("start it with mail");
    return this.context.outbox;
  }

  get db(): Kysely<Tables> {
    return this.context.db;
  }

  /** As our own pages do it, unless `headers` says otherwise. */
  async call<T>(
    method: Method,
    url: string,
    { body, headers = {}, address = "192.0.2.1" }: Call = {},
  ): Promise<Answer<T>> {
    const all = { ...(method !== "GET" && { origin: publicUrl }), ...headers };
    const sent = Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => !!entry[1]));
    const answer = await this.#app.inject({
      ...{ method, url, headers: sent, remoteAddress: address },
      ...(body !== undefined && { payload: body as object }),
    });
    const isJson = /json/.test(String(answer.headers["content-type"])) && answer.body !== "";
    const cookie = answer.cookies.find(({ name }) => name === "berg");
    return {
      status: answer.statusCode,
      text: answer.body,
      body: (isJson ? JSON.parse(answer.body) : undefined) as T,
      headers: answer.headers,
      cookie: cookie && (cookie.value === "" ? "" : `berg=${cookie.value}`),
    };
  }

  /** A player who is signed in. */
  async signedIn(name: string, { roles = [], ...more }: Partial<Omit<NewPlayer, "name">> = {}): Promise<Browser> {
    const now = this.clock.now();
    const created: NewPlayer = { name, roles: ["player", ...roles] as Role[], createdAt: now, ...more };
    const player = await this.db.transaction().execute((transaction) => ensurePlayer(transaction, created));
    return this.browser(player.id);
  }

  /** One more session of the player. */
  async browser(playerId: string): Promise<Browser> {
    const player = await findPlayer(this.db, playerId);
    if (!player) throw new Error(`there is no player ${playerId}`);
    const { token, id } = await createSession(this.db, player, { now: this.clock.now(), userAgent: "test" });
    return new Browser(this, playerId, id, `berg=${token}`);
  }

  /** A socket on a real port. */
  async socket(headers: Record<string, string> = {}): Promise<Followed> {
    this.#listening ??= this.#app.listen({ host: "127.0.0.1", port: 0 });
    await this.#listening;
    const { port } = this.#app.server.address() as AddressInfo;
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/events`, { headers });
    const messages: ServerMessage[] = [];
    socket.on("message", (data) => messages.push(JSON.parse(data.toString())));
    await once(socket, "open");
    this.#parts.defer(() => socket.terminate());
    return { socket, messages };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#parts.disposeAsync();
  }
}

export interface Followed {
  socket: WebSocket;
  messages: ServerMessage[];
}

export class Browser {
  readonly #api: TestApi;
  readonly playerId: string;
  readonly sessionId: string;
  readonly cookie: string;

  constructor(api: TestApi, playerId: string, sessionId: string, cookie: string) {
    this.#api = api;
    this.playerId = playerId;
    this.sessionId = sessionId;
    this.cookie = cookie;
  }

  call<T>(method: Method, url: string, call: Call = {}): Promise<Answer<T>> {
    return this.#api.call(method, url, { ...call, headers: { cookie: this.cookie, ...call.headers } });
  }

  socket(): Promise<Followed> {
    return this.#api.socket({ origin: publicUrl, cookie: this.cookie });
  }

  /** A new API key. */
  async key(scopes = ""): Promise<string> {
    return (await this.call("DELETE", `/api/players/current/api-key?scopes=${scopes}`)).text;
  }
}

/** For `headers`. */
export function withKey(key: string): Record<string, string | undefined> {
  return { authorization: `Bearer ${key}`, origin: undefined };
}
