/**
 * Every metric of the runtime: name, labels, help. Those that controller-runtime and client-go have too keep its names,
 * labels and buckets, so that existing dashboards and alerts work. No label ever holds an object's name, an owner or
 * anything else of which there may be thousands.
 */
export interface MetricDescription<Label extends string = string> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly Label[];
  /** Upper bounds in seconds: makes it a histogram. */
  readonly buckets?: readonly number[];
}

function describe<const Label extends string>(
  name: string,
  labelNames: readonly Label[],
  help: string,
  buckets?: readonly number[],
): MetricDescription<Label> {
  return { name, help, labelNames, ...(buckets && { buckets }) };
}

const reconcileBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
const queueBuckets = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1000];
const requestBuckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

export const metricNames = {
  reconcileTotal: describe(
    "controller_runtime_reconcile_total",
    ["controller", "result"],
    "reconciles, by what came of them",
  ),
  reconcileErrors: describe("controller_runtime_reconcile_errors_total", ["controller"], "reconciles that failed"),
  reconcileTerminalErrors: describe(
    "controller_runtime_terminal_reconcile_errors_total",
    ["controller"],
    "reconciles that failed and are not tried again",
  ),
  reconcilePanics: describe(
    "controller_runtime_reconcile_panics_total",
    ["controller"],
    "reconciles that failed by a mistake in the program",
  ),
  reconcileTimeouts: describe(
    "controller_runtime_reconcile_timeouts_total",
    ["controller"],
    "reconciles that were given up after their time limit",
  ),
  reconcileTime: describe(
    "controller_runtime_reconcile_time_seconds",
    ["controller"],
    "how long reconciles took",
    reconcileBuckets,
  ),
  maxConcurrentReconciles: describe(
    "controller_runtime_max_concurrent_reconciles",
    ["controller"],
    "how many reconciles may run at a time",
  ),
  activeWorkers: describe("controller_runtime_active_workers", ["controller"], "how many reconciles run now"),

  queueDepth: describe("workqueue_depth", ["name", "controller"], "keys that wait"),
  queueAdds: describe("workqueue_adds_total", ["name", "controller"], "keys that began to wait"),
  queueDuration: describe(
    "workqueue_queue_duration_seconds",
    ["name", "controller"],
    "how long keys waited",
    queueBuckets,
  ),
  queueWorkDuration: describe(
    "workqueue_work_duration_seconds",
    ["name", "controller"],
    "how long the work on keys took",
    queueBuckets,
  ),
  queueUnfinishedWork: describe(
    "workqueue_unfinished_work_seconds",
    ["name", "controller"],
    "how long the keys under work now have been so, all together; steady growth means something is stuck",
  ),
  queueLongestRunning: describe(
    "workqueue_longest_running_processor_seconds",
    ["name", "controller"],
    "how long the key longest under work now has been so",
  ),
  queueRetries: describe("workqueue_retries_total", ["name", "controller"], "keys that were added with a delay"),

  requests: describe("rest_client_requests_total", ["code", "method", "host"], "requests to the API server, each try"),
  requestDuration: describe(
    "rest_client_request_duration_seconds",
    ["verb", "host"],
    "how long requests to the API server took, each try",
    requestBuckets,
  ),
  requestRetries: describe(
    "rest_client_request_retries_total",
    ["code", "verb", "host"],
    "requests to the API server that were tried again",
  ),
  requestRateLimiter: describe(
    "rest_client_rate_limiter_duration_seconds",
    [],
    "how long requests waited for the client's own rate limit",
    requestBuckets,
  ),

  leader: describe("leader_election_master_status", ["name"], "1 in the process that leads by this lease, 0 in others"),

  informerRelists: describe("informer_relists_total", ["resource", "reason"], "times everything was listed again"),
  informerLastEventAge: describe(
    "informer_last_event_age_seconds",
    ["resource"],
    "how long ago the server last sent anything",
  ),
  informerObjects: describe("informer_objects", ["resource"], "objects held in memory"),
  eventsDropped: describe("events_dropped_total", [], "events that were lost before they could be written"),
} as const;
