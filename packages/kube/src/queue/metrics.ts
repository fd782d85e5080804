/**
 * What a work queue tells its metrics. Each method feeds one metric of the set that dashboards know from Go; the two
 * others, `workqueue_unfinished_work_seconds` and `workqueue_longest_running_processor_seconds`, are read at each scrape
 * from `WorkQueue.processing()`.
 */
export interface QueueMetrics {
  /** `workqueue_adds_total`: a key began to wait. A key that already waits is not counted again. */
  added(): void;
  /** `workqueue_depth`: how many keys wait, those included that wait for their own processing to end. */
  depth(waiting: number): void;
  /** `workqueue_queue_duration_seconds`: a key was handed out after having waited this long. */
  started(waitedSeconds: number): void;
  /** `workqueue_work_duration_seconds` */
  finished(workedSeconds: number): void;
  /** `workqueue_retries_total`: as in Go, every delayed add counts. */
  retried(): void;
}

export const noQueueMetrics: QueueMetrics = {
  added() {},
  depth() {},
  started() {},
  finished() {},
  retried() {},
};
