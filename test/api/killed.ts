/**
 * The API killed before and after each of its writes, to the database and to Kubernetes, in a life that an owner starts,
 * extends, restarts and stops: no instance without a row, no row without an end, and never a second instance.
 *
 * Of two replicas, the steps of the life go to each in turn: when one dies, the other goes on. The controller is played by
 * two functions: what it does besides is tested elsewhere.
 */
import { randomUUID } from "node:crypto";
import { formatTime, isNotFound, makeKey } from "@berg/apimachinery";
import { openDatabase, readDatabaseAddress } from "@berg/database";
import {
  type Client,
  type Connection,
  createClient,
  Informer,
  Namespaces,
  silentLogger,
  systemClock,
  unlimited,
} from "@berg/kube";
import {
  ChallengeInstances,
  Challenges,
  Competitions,
  competitionDefaults,
  customResourceDefinitions,
  finalizers,
  Pages,
} from "@berg/resources";
import type { Kysely } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ApiContext, instanceName } from "../../packages/api/src/context.ts";
import { migrations } from "../../packages/api/src/database/migrations.ts";
import type { InstanceRow, Tables } from "../../packages/api/src/database/schema.ts";
import { LiveHub } from "../../packages/api/src/events/live-hub.ts";
import {
  renewInstance,
  restartInstance,
  startInstance,
  stopInstance,
} from "../../packages/api/src/instances/commands.ts";
import { reconcileOwner } from "../../packages/api/src/instances/sync.ts";
import { PlayerList } from "../../packages/api/src/players/player-list.ts";
import type { Player } from "../../packages/api/src/players/store.ts";
import { Replicas } from "../../packages/api/src/replicas/replicas.ts";
import { SessionCache } from "../../packages/api/src/sessions/session-cache.ts";
import { installKinds } from "../../packages/cli/src/up/install-kinds.ts";
import { Killed, KillPoints } from "./kill-points.ts";

export interface KilledOptions {
  startControlPlane(): Promise<{ connection: Connection; stop(): Promise<void> }>;
  /** The address of an empty database, which lasts as long as `parts`. */
  newDatabase(parts: AsyncDisposableStack): Promise<string>;
  replicas: 1 | 2;
}

const namespace = "berg";
const { signal } = new AbortController();
const world = new AsyncDisposableStack();
let client: Client;
let db: Kysely<Tables>;
let caches: ReturnType<ApiContext["caches"]>;

async function prepare({ startControlPlane, newDatabase }: KilledOptions): Promise<void> {
  const database = await newDatabase(world);
  const controlPlane = await startControlPlane();
  world.defer(() => controlPlane.stop());
  client = createClient({ connection: controlPlane.connection, rate: unlimited });
  world.defer(() => client.close());
  await installKinds(client, customResourceDefinitions(), signal);
  await client.create(Namespaces, { metadata: { name: namespace } });
  const dynamicFlag = { env: { name: "FLAG" } };
  const spec = { flag: "flag{x}", containers: [{ hostname: "web", image: "web:1", dynamicFlag }] };
  await client.create(Challenges, { metadata: { namespace, name: "web" }, spec } as never);
  db = world.use(await openDatabase<Tables>({ database, component: "api", migrations })).db;
  const stopping = new AbortController();
  world.defer(() => stopping.abort());
  caches = {
    challenges: new Informer({ client, type: Challenges }),
    instances: new Informer({ client, type: ChallengeInstances }),
    competitions: new Informer({ client, type: Competitions }),
    pages: new Informer({ client, type: Pages }),
  };
  for (const informer of Object.values(caches)) {
    informer.run(stopping.signal).catch(() => {});
    await informer.synced(signal);
  }
}

class Process {
  readonly client: Client;
  readonly db: Kysely<Tables>;
  readonly #points: KillPoints;

  constructor(dieAt?: number) {
    const points = new KillPoints(dieAt);
    this.#points = points;
    this.client = new Proxy(client, {
      get(target, name: keyof Client) {
        const member = target[name];
        if (typeof member !== "function") return member;
        const call = member.bind(target) as (...args: unknown[]) => Promise<unknown>;
        const isWrite = ["create", "patch", "delete", "update", "apply"].includes(name);
        return isWrite ? (...args: unknown[]) => points.around(() => call(...args)) : call;
      },
    });
    this.db = db.withPlugin(points.plugin());
  }

  get hasDied(): boolean {
    return this.#points.hasDied;
  }
}

function contextOf({ db, client }: Process): ApiContext {
  const clock = systemClock;
  const hub = new LiveHub({ clock });
  const board = { follow() {} } as ApiContext["board"];
  return {
    board,
    ...{ db, client, clock, log: silentLogger, hub },
    sessions: new SessionCache({ db, clock, hub }),
    playerList: new PlayerList({ db, clock, competition: competitionDefaults }),
    replicas: new Replicas({ db, address: readDatabaseAddress(":memory:"), clock: systemClock, log: silentLogger }),
    competition: competitionDefaults,
    maxRenewals: () => 3,
    settings: { publicUrl: "http://berg.localhost", namespace, competition: "x", maxRenewals: 3, version: "0" },
    flagKey: Buffer.alloc(32),
    registrationCode: async () => undefined,
    caches: () => caches,
    reconcileOwner() {},
  };
}

const reconcile = ({ db, client }: Process, ownerId: string) => {
  const flagKey = Buffer.alloc(32);
  const findChallenge = (name: string) => caches.challenges.get(makeKey(namespace, name));
  const fromCaches = { findChallenge, cachedObjects: () => [], timeoutOf: () => undefined };
  return reconcileOwner({ db, client, clock: systemClock, namespace, flagKey, ...fromCaches }, ownerId, signal);
};

function objectOf(ownerId: string) {
  return client.get(ChallengeInstances, namespace, instanceName(ownerId)).catch((error) => {
    if (!isNotFound(error)) throw error;
    return undefined;
  });
}

async function setStatus(ownerId: string, status: object): Promise<void> {
  if (!(await objectOf(ownerId))) return;
  const patch = { type: "merge", body: { status } } as const;
  await client.patch(ChallengeInstances, namespace, instanceName(ownerId), patch, { subresource: "status" });
}

const now = () => formatTime(systemClock.now());
const controllerRunsIt = (ownerId: string) => setStatus(ownerId, { phase: "Running", readyAt: now() });
const controllerEndsIt = (ownerId: string) =>
  setStatus(ownerId, { phase: "Terminated", terminatedAt: now(), terminationReason: "UserRequest" });

function rowsOf(ownerId: string): Promise<InstanceRow[]> {
  return db.selectFrom("instances").selectAll().where("owner_id", "=", ownerId).execute();
}

const playerWith = (id: string): Player => ({
  id,
  name: "Ada",
  federatedId: `local:${id}`,
  roles: ["player"],
  grantedRoles: ["player"],
  providerRoles: [],
  apiKeyPlaceholder: null,
  attributes: {},
  email: null,
  createdAt: 0,
});

/** The life; each step may be done again, as a player who got no answer or a restarted process does. */
const steps: ((process: Process, ownerId: string) => Promise<unknown>)[] = [
  (process, id) => startInstance(contextOf(process), { player: playerWith(id), challenge: "web", replace: false }),
  reconcile,
  (_, ownerId) => controllerRunsIt(ownerId),
  reconcile,
  (process, ownerId) => renewInstance(contextOf(process), ownerId, signal),
  (process, ownerId) => restartInstance(contextOf(process), ownerId, signal),
  reconcile,
  (process, ownerId) => stopInstance(contextOf(process), ownerId),
  reconcile,
  (_, ownerId) => controllerEndsIt(ownerId),
  reconcile,
  reconcile,
];

/** Returns whether the process died. Of two, it is the first or the second that dies. */
async function live(dieAt: number, others: 0 | 1, mortalIndex: 0 | 1): Promise<boolean> {
  const ownerId = randomUUID();
  const mortal = new Process(dieAt);
  const processes = others === 0 ? [mortal] : mortalIndex === 0 ? [mortal, new Process()] : [new Process(), mortal];
  const uids = new Set<string>();
  for (const [index, step] of steps.entries()) {
    try {
      await step(processes[index % processes.length] as Process, ownerId);
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      // The other replica, or the process that is started in its place.
      processes.splice(processes.indexOf(mortal), 1, ...(others === 0 ? [new Process()] : []));
      const [left] = processes as [Process];
      await reconcile(left, ownerId);
      await step(left, ownerId);
    }
    const object = await objectOf(ownerId);
    const rows = await rowsOf(ownerId);
    if (object) uids.add(object.metadata.uid);
    const ids = rows.map(({ id }) => id);
    const annotated = Object.values(object?.metadata.annotations ?? {});
    expect(annotated.every((id) => ids.includes(id))).toBe(true);
    if (object) expect(object.metadata.finalizers).toContain(finalizers.api);
  }
  expect(uids.size).toBe(1);
  expect(await objectOf(ownerId)).toBeUndefined();
  const rows = await rowsOf(ownerId);
  expect(rows.map(({ state, termination_reason }) => [state, termination_reason])).toEqual([["ended", "UserRequest"]]);
  expect(rows[0]?.ready_at).not.toBeNull();
  return mortal.hasDied;
}

export function describeKilled(options: KilledOptions): void {
  beforeAll(() => prepare(options));
  afterAll(() => world.disposeAsync());

  test("whichever write it dies at, the life is whole", async () => {
    let points = 0;
    for (const mortalIndex of options.replicas === 1 ? ([0] as const) : ([0, 1] as const)) {
      for (let dieAt = 0; await live(dieAt, options.replicas === 1 ? 0 : 1, mortalIndex); dieAt++) points++;
    }
    // Rows: insert, created, ready, timeline, stop, end; objects: create, renew, restart, delete, finalizer off. Before and
    // after each.
    expect(points).toBeGreaterThanOrEqual(22);
  });
}
