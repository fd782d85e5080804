/** The figures of the API: names, labels and help are here, and nowhere else. The controller's own come from @berg/kube. */
import type { PoolUsage } from "@berg/database";
import type { Metrics } from "@berg/kube";
import { Counter, Gauge, Histogram } from "prom-client";
import type { OutboxKind } from "./outbox/store.ts";
import type { OutboxResult } from "./outbox/worker.ts";
import type { ProblemCode } from "./problems.ts";
import type { Timeline } from "./wire.ts";

export const apiMetricNames = {
  requests: {
    name: "berg_api_requests_total",
    labelNames: ["method", "route", "status"],
    help: "Requests that were answered; route is the template, pages or none",
  },
  requestDuration: {
    name: "berg_api_request_duration_seconds",
    labelNames: ["method", "route"],
    help: "How long answers took",
  },
  sockets: { name: "berg_api_sockets", labelNames: [], help: "Open WebSockets" },
  instanceStarts: {
    name: "berg_api_instance_starts_total",
    labelNames: ["outcome"],
    help: "Starts that were asked for; outcome is accepted or the code of the problem",
  },
  handoutDownloads: {
    name: "berg_api_handout_downloads_total",
    labelNames: ["outcome"],
    help: "Downloads of handouts that began; outcome is sent or the code of the problem",
  },
  competitionMissing: {
    name: "berg_api_competition_missing",
    labelNames: [],
    help: "1 while there is no Competition object, so that the last one that was seen stays in force",
  },
  outboxPending: { name: "berg_api_outbox_pending", labelNames: [], help: "Messages that are still to be sent" },
  outboxDeliveries: {
    name: "berg_api_outbox_sent_total",
    labelNames: ["kind", "result"],
    help: "Deliveries of messages; result is sent, skipped (no recipient), retried (failed, one more try follows) or failed",
  },
  providerUp: {
    name: "berg_api_provider_up",
    labelNames: ["provider"],
    help: "1 while the identity provider answers; players cannot sign in there while it is 0",
  },
  poolInUse: {
    name: "berg_api_database_pool_in_use",
    labelNames: [],
    help: "Connections to PostgreSQL that work now; DATABASE_POOL at most",
  },
  poolWaiting: {
    name: "berg_api_database_pool_waiting",
    labelNames: [],
    help: "Queries and transactions that wait for a connection",
  },
  syncLag: {
    name: "berg_api_sync_lag_seconds",
    labelNames: ["change"],
    help: "From the request of a player until the leader has told Kubernetes; change is start or stop",
  },
  stageDuration: {
    name: "berg_api_instance_stage_seconds",
    labelNames: ["stage"],
    help: "How long each step of a start took; stage is what it ended with, ready the last, and total all of them",
  },
  databaseUp: { name: "berg_api_database_up", labelNames: [], help: "1 while the database answers" },
} as const;

export interface FinishedRequest {
  method: string;
  route: string;
  status: number;
  seconds: number;
}

export interface ApiSample {
  sockets(): number;
  isDatabaseUp(): boolean;
  /** Undefined where no mail server is configured. */
  outboxPending?: (() => number) | undefined;
  isCompetitionMissing(): boolean;
  /** Identity providers; `isUp` is undefined until one has been asked. */
  providers(): readonly { name: string; isUp: boolean | undefined }[];
  /** Undefined on SQLite. */
  poolUsage(): PoolUsage | undefined;
}

export interface ApiMetrics {
  requestDone(request: FinishedRequest): void;
  instanceStart(outcome: "accepted" | ProblemCode): void;
  handoutDownload(outcome: "sent" | ProblemCode): void;
  outboxDelivery(kind: OutboxKind, result: OutboxResult): void;
  synced(change: "start" | "stop", lagMs: number): void;
  /** The steps of a start that has succeeded. */
  started(timeline: Timeline): void;
  /** What is read at each scrape. */
  sample(read: ApiSample): void;
}

/** Nothing where the start failed or a step is unknown. */
function stageSeconds({ stages }: Timeline): [stage: string, seconds: number][] {
  const times = stages.map(({ stage, at }) => ({
    stage: stage as string,
    at: at === null ? Number.NaN : Date.parse(at),
  }));
  const [first, last] = [times[0], times.at(-1)];
  if (!first || !last || times.some(({ at }) => Number.isNaN(at))) return [];
  const steps = times.slice(1).map(({ stage, at }, index) => [stage, (at - (times[index]?.at ?? at)) / 1000] as const);
  return [
    ...steps.map(([stage, seconds]): [string, number] => [stage, seconds]),
    ["total", (last.at - first.at) / 1000],
  ];
}

const stageDurations = [0.1, 0.25, 0.5, 1, 2, 3, 5, 8, 13, 20, 30, 60, 120, 300];
const durations = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function createApiMetrics({ registry }: Pick<Metrics, "registry">): ApiMetrics {
  const registers = [registry];
  const requests = new Counter({ ...apiMetricNames.requests, registers });
  const duration = new Histogram({ ...apiMetricNames.requestDuration, buckets: durations, registers });
  const starts = new Counter({ ...apiMetricNames.instanceStarts, registers });
  const downloads = new Counter({ ...apiMetricNames.handoutDownloads, registers });
  const deliveries = new Counter({ ...apiMetricNames.outboxDeliveries, registers });
  const syncLag = new Histogram({ ...apiMetricNames.syncLag, buckets: durations, registers });
  const stages = new Histogram({ ...apiMetricNames.stageDuration, buckets: stageDurations, registers });
  // A rate over a counter that appears only with its first increase misses that one.
  starts.inc({ outcome: "accepted" }, 0);
  downloads.inc({ outcome: "sent" }, 0);
  for (const result of ["sent", "failed"]) deliveries.inc({ kind: "lost-links", result }, 0);
  return {
    requestDone({ method, route, status, seconds }) {
      requests.inc({ method, route, status: String(status) });
      duration.observe({ method, route }, seconds);
    },
    instanceStart: (outcome) => starts.inc({ outcome }),
    handoutDownload: (outcome) => downloads.inc({ outcome }),
    outboxDelivery: (kind, result) => deliveries.inc({ kind, result }),
    synced: (change, lagMs) => syncLag.observe({ change }, Math.max(0, lagMs) / 1000),
    started(timeline) {
      for (const [stage, seconds] of stageSeconds(timeline)) stages.observe({ stage }, seconds);
    },
    sample(read) {
      type Sampled = "sockets" | "outboxPending" | "databaseUp" | "competitionMissing" | "poolInUse" | "poolWaiting";
      const gauge = (description: (typeof apiMetricNames)[Sampled], value: () => number) =>
        new Gauge({
          ...description,
          registers,
          collect() {
            this.set(value());
          },
        });
      new Gauge({
        ...apiMetricNames.providerUp,
        registers,
        collect() {
          for (const { name, isUp } of read.providers()) {
            if (isUp !== undefined) this.set({ provider: name }, isUp ? 1 : 0);
          }
        },
      });
      gauge(apiMetricNames.sockets, () => read.sockets());
      const { outboxPending } = read;
      if (outboxPending) gauge(apiMetricNames.outboxPending, outboxPending);
      if (read.poolUsage()) {
        gauge(apiMetricNames.poolInUse, () => read.poolUsage()?.inUse ?? 0);
        gauge(apiMetricNames.poolWaiting, () => read.poolUsage()?.waiting ?? 0);
      }
      gauge(apiMetricNames.databaseUp, () => (read.isDatabaseUp() ? 1 : 0));
      gauge(apiMetricNames.competitionMissing, () => (read.isCompetitionMissing() ? 1 : 0));
    },
  };
}
