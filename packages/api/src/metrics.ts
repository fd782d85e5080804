/** The figures of the API: names, labels and help are here, and nowhere else. The controller's own come from @berg/kube. */
import type { Metrics } from "@berg/kube";
import { Counter, Gauge, Histogram } from "prom-client";
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
  databaseUp: { name: "berg_api_database_up", labelNames: [], help: "1 while the database answers" },
} as const;

export interface FinishedRequest {
  method: string;
  route: string;
  status: number;
  seconds: number;
}

export interface ApiMetrics {
  requestDone(request: FinishedRequest): void;
  instanceStart(outcome: "accepted" | ProblemCode): void;
  handoutDownload(outcome: "sent" | ProblemCode): void;
  /** What is read at each scrape. */
  sample(read: { sockets: () => number; isDatabaseUp: () => boolean }): void;
}

const durations = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function createApiMetrics({ registry }: Pick<Metrics, "registry">): ApiMetrics {
  const registers = [registry];
  const requests = new Counter({ ...apiMetricNames.requests, registers });
  const duration = new Histogram({ ...apiMetricNames.requestDuration, buckets: durations, registers });
  const starts = new Counter({ ...apiMetricNames.instanceStarts, registers });
  const downloads = new Counter({ ...apiMetricNames.handoutDownloads, registers });
  // A rate over a counter that appears only with its first increase misses that one.
  starts.inc({ outcome: "accepted" }, 0);
  downloads.inc({ outcome: "sent" }, 0);
  return {
    requestDone({ method, route, status, seconds }) {
      requests.inc({ method, route, status: String(status) });
      duration.observe({ method, route }, seconds);
    },
    instanceStart: (outcome) => starts.inc({ outcome }),
    handoutDownload: (outcome) => downloads.inc({ outcome }),
    sample({ sockets, isDatabaseUp }) {
      const gauge = (description: (typeof apiMetricNames)["sockets" | "databaseUp"], read: () => number) =>
        new Gauge({
          ...description,
          registers,
          collect() {
            this.set(read());
          },
        });
      gauge(apiMetricNames.sockets, sockets);
      gauge(apiMetricNames.databaseUp, () => (isDatabaseUp() ? 1 : 0));
    },
  };
}
