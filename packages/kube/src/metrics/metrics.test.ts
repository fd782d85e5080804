import { readdir, readFile } from "node:fs/promises";
import { register } from "prom-client";
import { describe, expect, test } from "vitest";
import { createMetrics, type Metrics } from "./metrics.ts";
import { metricNames } from "./names.ts";

/** The lines of `/metrics` that are neither comments nor single buckets. */
async function figures(metrics: Metrics, prefix: string): Promise<string[]> {
  const { body } = await metrics.render();
  return body.split("\n").filter((line) => line.startsWith(prefix) && !line.includes("_bucket{"));
}

async function bounds(metrics: Metrics, name: string): Promise<number[]> {
  const { body } = await metrics.render();
  return [...body.matchAll(new RegExp(`^${name}_bucket{le="([^"]+)"`, "gm"))].map((match) => Number(match[1]));
}

describe("a controller", () => {
  test("has all its figures from the start, at 0", async () => {
    const metrics = await createMetrics();
    metrics.controller("instances", { maxConcurrent: 10 });
    expect(await figures(metrics, "controller_runtime_")).toEqual([
      'controller_runtime_reconcile_total{controller="instances",result="success"} 0',
      'controller_runtime_reconcile_total{controller="instances",result="error"} 0',
      'controller_runtime_reconcile_total{controller="instances",result="requeue"} 0',
      'controller_runtime_reconcile_total{controller="instances",result="requeue_after"} 0',
      'controller_runtime_reconcile_errors_total{controller="instances"} 0',
      'controller_runtime_terminal_reconcile_errors_total{controller="instances"} 0',
      'controller_runtime_reconcile_panics_total{controller="instances"} 0',
      'controller_runtime_reconcile_timeouts_total{controller="instances"} 0',
      'controller_runtime_reconcile_time_seconds_sum{controller="instances"} 0',
      'controller_runtime_reconcile_time_seconds_count{controller="instances"} 0',
      'controller_runtime_max_concurrent_reconciles{controller="instances"} 10',
      'controller_runtime_active_workers{controller="instances"} 0',
    ]);
    const reconcileBounds = await bounds(metrics, "controller_runtime_reconcile_time_seconds");
    expect(reconcileBounds).toHaveLength(41);
    expect(reconcileBounds.slice(0, 3)).toEqual([0.005, 0.01, 0.025]);
    expect(reconcileBounds.at(-2)).toBe(60);
  });

  test("counts each reconcile once, and errors besides", async () => {
    const metrics = await createMetrics();
    const controller = metrics.controller("instances", { maxConcurrent: 10 });
    controller.started();
    controller.started();
    controller.started();
    controller.finished("success", 0.5);
    controller.terminal();
    controller.finished("error", 1.5);
    const lines = await figures(metrics, "controller_runtime_");
    expect(lines).toContain('controller_runtime_reconcile_total{controller="instances",result="success"} 1');
    expect(lines).toContain('controller_runtime_reconcile_total{controller="instances",result="error"} 1');
    expect(lines).toContain('controller_runtime_reconcile_errors_total{controller="instances"} 1');
    expect(lines).toContain('controller_runtime_terminal_reconcile_errors_total{controller="instances"} 1');
    expect(lines).toContain('controller_runtime_reconcile_time_seconds_sum{controller="instances"} 2');
    expect(lines).toContain('controller_runtime_active_workers{controller="instances"} 1');
    controller.panicked();
    controller.timedOut();
    expect(await figures(metrics, "controller_runtime_reconcile_panics_total")).toEqual([expect.stringMatching(/ 1$/)]);
    expect(await figures(metrics, "controller_runtime_reconcile_timeouts_total")).toEqual([
      expect.stringMatching(/ 1$/),
    ]);
  });
});

test("a queue: what it tells, and what is read at the scrape", async () => {
  const metrics = await createMetrics();
  const labels = { name: "instances", controller: "c" };
  const queue = metrics.queue(labels);
  expect(await figures(metrics, "workqueue_")).toEqual(
    [
      "depth",
      "adds_total",
      "queue_duration_seconds_sum",
      "queue_duration_seconds_count",
      "work_duration_seconds_sum",
      "work_duration_seconds_count",
      "retries_total",
      "unfinished_work_seconds",
      "longest_running_processor_seconds",
    ].map((name) => `workqueue_${name}{name="instances",controller="c"} 0`),
  );
  queue.added();
  queue.depth(3);
  queue.started(0.25);
  queue.finished(0.5);
  queue.retried();
  let reads = 0;
  queue.sample(() => ({ unfinishedSeconds: ++reads, longestSeconds: 7 }));
  expect(reads).toBe(0);
  const lines = await figures(metrics, "workqueue_");
  for (const line of ["adds_total 1", "depth 3", "queue_duration_seconds_sum 0.25", "work_duration_seconds_sum 0.5"]) {
    const [name, value] = line.split(" ");
    expect(lines).toContain(`workqueue_${name}{name="instances",controller="c"} ${value}`);
  }
  expect(lines).toContain('workqueue_retries_total{name="instances",controller="c"} 1');
  expect(lines).toContain('workqueue_longest_running_processor_seconds{name="instances",controller="c"} 7');
  expect(await bounds(metrics, "workqueue_queue_duration_seconds")).toEqual([
    1e-8,
    1e-7,
    1e-6,
    1e-5,
    1e-4,
    1e-3,
    1e-2,
    0.1,
    1,
    10,
    100,
    1000,
    Number.NaN,
  ]);
});

test("requests, by code and method, and how long they took", async () => {
  const metrics = await createMetrics();
  const { requests } = metrics;
  requests.finished({ method: "GET", host: "a:6443", code: "200" }, 0.5);
  requests.finished({ method: "PUT", host: "a:6443", code: "<error>" }, 2);
  requests.retried({ method: "PUT", host: "a:6443", code: "503" });
  requests.rateLimited(0.25);
  expect(await figures(metrics, "rest_client_")).toEqual([
    'rest_client_requests_total{code="200",method="GET",host="a:6443"} 1',
    'rest_client_requests_total{code="<error>",method="PUT",host="a:6443"} 1',
    'rest_client_request_duration_seconds_sum{verb="GET",host="a:6443"} 0.5',
    'rest_client_request_duration_seconds_count{verb="GET",host="a:6443"} 1',
    'rest_client_request_duration_seconds_sum{verb="PUT",host="a:6443"} 2',
    'rest_client_request_duration_seconds_count{verb="PUT",host="a:6443"} 1',
    'rest_client_request_retries_total{verb="PUT",host="a:6443",code="503"} 1',
    "rest_client_rate_limiter_duration_seconds_sum 0.25",
    "rest_client_rate_limiter_duration_seconds_count 1",
  ]);
});

test("an informer is read at each scrape until it ends", async () => {
  const metrics = await createMetrics();
  const informer = metrics.informer("deployments.apps");
  informer.relisted("expired");
  let objects = 5;
  const end = informer.sample(() => ({ objects, lastEventAgeSeconds: 1.5 }));
  objects = 6;
  expect(await figures(metrics, "informer_")).toEqual([
    'informer_relists_total{resource="deployments.apps",reason="start"} 0',
    'informer_relists_total{resource="deployments.apps",reason="expired"} 1',
    'informer_relists_total{resource="deployments.apps",reason="reset"} 0',
    'informer_relists_total{resource="deployments.apps",reason="garbled"} 0',
    'informer_relists_total{resource="deployments.apps",reason="error_frame"} 0',
    'informer_last_event_age_seconds{resource="deployments.apps"} 1.5',
    'informer_objects{resource="deployments.apps"} 6',
  ]);
  end();
  expect(await figures(metrics, "informer_last_event_age")).toEqual([]);
  expect(await figures(metrics, "informer_objects")).toEqual([]);
});

test("informers of one resource are told together: the oldest age, and all objects", async () => {
  const metrics = await createMetrics();
  const one = metrics.informer("pods").sample(() => ({ objects: 5, lastEventAgeSeconds: 40 }));
  metrics.informer("pods").sample(() => ({ objects: 6, lastEventAgeSeconds: 1 }));
  for (let scrape = 0; scrape < 2; scrape++) {
    expect(await figures(metrics, "informer_last_event_age")).toEqual([
      'informer_last_event_age_seconds{resource="pods"} 40',
    ]);
    expect(await figures(metrics, "informer_objects")).toEqual(['informer_objects{resource="pods"} 11']);
  }
  one();
  expect(await figures(metrics, "informer_last_event_age")).toEqual([
    'informer_last_event_age_seconds{resource="pods"} 1',
  ]);
  expect(await figures(metrics, "informer_objects")).toEqual(['informer_objects{resource="pods"} 6']);
});

test("leadership and lost events", async () => {
  const metrics = await createMetrics();
  const election = metrics.election("berg-controller");
  election.leading(true);
  metrics.events.dropped();
  expect(await figures(metrics, "leader_")).toEqual(['leader_election_master_status{name="berg-controller"} 1']);
  expect(await figures(metrics, "events_")).toEqual(["events_dropped_total 1"]);
  election.leading(false);
  expect(await figures(metrics, "leader_")).toEqual(['leader_election_master_status{name="berg-controller"} 0']);
});

test("who waits for the lease stands by, and nobody else", async () => {
  const metrics = await createMetrics();
  expect(metrics.isStandby).toBe(false);
  const election = metrics.election("berg-controller");
  const seen = [false, true, false].map((leads) => {
    election.leading(leads);
    return metrics.isStandby;
  });
  expect(seen).toEqual([true, false, true]);
});

test("every name in the vocabulary is served, two sets do not mix, and nothing is global", async () => {
  const metrics = await createMetrics();
  (await createMetrics()).events.dropped();
  const { body, contentType } = await metrics.render();
  expect(contentType).toBe("text/plain; version=0.0.4; charset=utf-8");
  const served = [...body.matchAll(/^# TYPE (\S+)/gm)].map((match) => match[1]);
  expect(served.sort()).toEqual(
    Object.values(metricNames)
      .map(({ name }) => name)
      .sort(),
  );
  expect(await figures(metrics, "events_")).toEqual(["events_dropped_total 0"]);
  expect(register.getMetricsAsArray()).toEqual([]);
});

test("prom-client, slow to load, is loaded only when metrics are made", async () => {
  const source = new URL("../", import.meta.url);
  const users = [];
  for (const file of await readdir(source, { recursive: true })) {
    if (!file.endsWith(".ts") || file.endsWith(".test.ts")) continue;
    const text = await readFile(new URL(file, source), "utf8");
    if (/^(import|export) (?!type ).*"prom-client"/m.test(text)) users.push(file);
  }
  expect(users).toEqual([]);
});
