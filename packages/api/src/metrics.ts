/** The figures of the API: names, labels and help are here, and nowhere else. The controller's own come from @berg/kube. */
import type { Metrics } from "@berg/kube";
import { Counter, Gauge, Histogram } from "prom-client";
import type { OutboxKind } from "./outbox/store.ts";
import type { OutboxResult } from "./outbox/worker.ts";
import type { ProblemCode } from "./problems.ts";

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
}

export interface ApiMetrics {
  requestDone(request: FinishedRequest): void;
  instanceStart(outcome: "accepted" | ProblemCode): void;
  handoutDownload(outcome: "sent" | ProblemCode): void;
  outboxDelivery(kind: OutboxKind, result: OutboxResult): void;
  /** What is read at each scrape. */
  sample(read: ApiSample): void;
}

const durations = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function createApiMetrics({ registry }: Pick<Metrics, "registry">): ApiMetrics {
  const registers = [registry];
  const requests = new Counter({ ...apiMetricNames.requests, registers });
  const duration = new Histogram({ ...apiMetricNames.requestDuration, buckets: durations, registers });
  const starts = new Counter({ ...apiMetricNames.instanceStarts, registers });
  const downloads = new Counter({ ...apiMetricNames.handoutDownloads, registers });
  const deliveries = new Counter({ ...apiMetricNames.outboxDeliveries, registers });
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
    sample(read) {
      type Sampled = "sockets" | "outboxPending" | "databaseUp" | "competitionMissing";
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
      gauge(apiMetricNames.databaseUp, () => (read.isDatabaseUp() ? 1 : 0));
      gauge(apiMetricNames.competitionMissing, () => (read.isCompetitionMissing() ? 1 : 0));
    },
  };
}
