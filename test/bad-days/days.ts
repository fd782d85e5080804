/** The bad days: how each begins and how it ends. */
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import type { Cluster } from "../api/cluster.ts";
import { isRunning } from "../control-plane/process-state.ts";
import type { Answer, FaultProxy, Seen } from "../faults/proxy.ts";
import type { TcpFault, TcpProxy } from "../faults/tcp-proxy.ts";
import type { IdentityProvider } from "../openid/identity-provider.ts";
import type { LoadRules } from "./load.ts";
import type { Member } from "./members.ts";
import { signInFails, signInWorks } from "./provider-sign-in.ts";
import { reconnectAll } from "./socket-crowd.ts";

export interface Stage {
  readonly cluster: Cluster;
  /** Between the replicas and PostgreSQL. */
  readonly databaseProxy: TcpProxy;
  readonly provider: IdentityProvider;
  readonly members: readonly Member[];
  /** A small file system with the data of PostgreSQL; undefined where it cannot be mounted. */
  readonly disk: string | undefined;
  readonly isQuick: boolean;
}

export interface Day extends LoadRules {
  /** How long the cause lasts. */
  seconds: { quick: number; full: number };
  /** Why it cannot be had on this machine. */
  missing?(stage: Stage): string | undefined;
  /** Starts the cause; what it returns ends it. What either throws is a broken law. */
  begin(stage: Stage): Promise<() => Promise<unknown>>;
}

const short = { quick: 8, full: 20 };
/** Longer than the 15 s of a lease. */
const pastLease = { quick: 20, full: 60 };

export const days: Record<string, Day> = {
  "database: refuses connections": { seconds: { quick: 10, full: 60 }, begin: faultyDatabase({ kind: "refused" }) },
  "database: frozen": { seconds: { quick: 15, full: 60 }, begin: faultyDatabase({ kind: "silent" }) },
  "database: slow": { seconds: short, begin: faultyDatabase({ kind: "slow", delayMs: 100 }) },
  "database: crashes and is started again": {
    seconds: short,
    async begin({ cluster: { postgres } }) {
      await postgres.kill();
      return () => postgres.start();
    },
  },
  "database: out of connections": {
    seconds: short,
    async begin({ cluster, databaseProxy }) {
      const clients: pg.Client[] = [];
      databaseProxy.setFault({ kind: "refused" });
      const take = async (): Promise<boolean> => {
        const client = new pg.Client({ connectionString: cluster.postgres.url("postgres") });
        client.on("error", () => {});
        clients.push(client);
        return client.connect().then(
          () => true,
          () => false,
        );
      };
      while (await take());
      databaseProxy.setFault(undefined);
      return () => Promise.all(clients.map((client) => client.end()));
    },
  },
  "database: read-only": {
    seconds: short,
    async begin({ cluster, databaseProxy }) {
      const name = new URL(cluster.database).pathname.slice(1);
      const set = (value: string) =>
        cluster.postgres.query("postgres", `alter database ${name} set default_transaction_read_only = ${value}`);
      await set("on");
      // It counts for new sessions. In the end the replicas must find out by themselves.
      databaseProxy.cut();
      return () => set("off");
    },
  },
  "database: disk full": {
    seconds: short,
    missing: ({ disk }) => (disk === undefined ? "a small file system needs root" : undefined),
    async begin({ cluster: { postgres }, disk = "" }) {
      const filler = join(disk, "filler");
      await fill(filler);
      // The log of the server needs a new file sooner or later. Without this, later than the day is long.
      await postgres.query("postgres", "select pg_switch_wal()").catch(() => {});
      return async () => {
        await rm(filler);
        const { pid } = postgres;
        // A server that could not write its log has ended; a supervisor starts it again.
        if (pid === undefined || !isRunning(pid)) await postgres.start();
      };
    },
  },
  "notifications lost": {
    seconds: short,
    async begin({ databaseProxy }) {
      databaseProxy.refuseContaining("berg-listen");
      return async () => databaseProxy.refuseContaining(undefined);
    },
  },
  "Kubernetes: away": { seconds: pastLease, readsGoOn: true, begin: faultyKubernetes(() => "reset") },
  "Kubernetes: 429": {
    seconds: short,
    readsGoOn: true,
    begin: faultyKubernetes(() => ({ ...failure(429, "TooManyRequests"), headers: { "retry-after": "1" } })),
  },
  "Kubernetes: compacted": {
    seconds: short,
    readsGoOn: true,
    begin: faultyKubernetes(({ watch, path }) =>
      watch && /resourceVersion=[1-9]/.test(path) ? failure(410, "Expired") : undefined,
    ),
  },
  "Kubernetes: slow": {
    seconds: short,
    readsGoOn: true,
    async begin({ cluster }) {
      const set = (ms: number) => {
        for (const { proxy } of cluster.replicas) Object.assign(proxy, { requestDelayMs: ms, watchDelayMs: ms });
      };
      set(700);
      return async () => set(0);
    },
  },
  "replica: leader killed": {
    seconds: { quick: 5, full: 20 },
    mayBreak: true,
    async begin({ cluster }) {
      await (await cluster.leader()).kill();
      return () => cluster.addReplica();
    },
  },
  "replica: leader frozen past its lease": {
    seconds: pastLease,
    mayBreak: true,
    async begin({ cluster }) {
      const leader = await cluster.leader();
      leader.freeze();
      return async () => leader.thaw();
    },
  },
  "replica: clock five minutes ahead": {
    seconds: short,
    mayBreak: true,
    async begin({ cluster }) {
      const ahead = fileURLToPath(new URL("./clock-ahead.ts", import.meta.url));
      const leader = await cluster.leader();
      const early = await cluster.addReplica({ nodeFlags: ["--import", ahead] });
      await leader.kill();
      return async () => {
        await cluster.addReplica();
        await early.kill();
      };
    },
  },
  "provider: away": {
    seconds: short,
    async begin(stage) {
      await signInWorks(stage);
      await stage.provider.goAway();
      await signInFails(stage);
      return async () => {
        await stage.provider.comeBack();
        await signInWorks(stage);
      };
    },
  },
  "provider: key rotated": {
    seconds: { quick: 1, full: 5 },
    async begin(stage) {
      await signInWorks(stage);
      stage.provider.rotateKey();
      return () => signInWorks(stage);
    },
  },
  "sockets: all reconnect at once": {
    seconds: { quick: 1, full: 1 },
    mayBreak: true,
    begin: (stage) => reconnectAll(stage, stage.isQuick ? 1_000 : 5_000),
  },
};

function faultyDatabase(fault: TcpFault): Day["begin"] {
  return async ({ databaseProxy }) => {
    databaseProxy.setFault(fault);
    return async () => databaseProxy.setFault(undefined);
  };
}

function faultyKubernetes(answer: (seen: Seen) => Answer | undefined): Day["begin"] {
  return async ({ cluster }) => {
    const each = (change: (proxy: FaultProxy) => void) => {
      for (const { proxy } of cluster.replicas) change(proxy);
    };
    each((proxy) => {
      proxy.answer = answer;
      proxy.cutWatches();
    });
    return async () =>
      each((proxy) => {
        proxy.answer = () => undefined;
      });
  };
}

function failure(code: number, reason: string) {
  const body = { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message: "a bad day" };
  return { status: code, body };
}

async function fill(file: string): Promise<void> {
  await using handle = await open(file, "w");
  for (const size of [1 << 20, 1 << 12]) {
    const piece = Buffer.alloc(size, 1);
    try {
      for (;;) await handle.write(piece);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    }
  }
}
