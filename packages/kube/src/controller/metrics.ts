/** What a controller tells its metrics. Each reconcile is one `started` and one `finished`, whatever happens between. */
export interface ReconcileMetrics {
  /** `controller_runtime_active_workers` goes up, and down again with `finished`. */
  started(): void;
  /**
   * `controller_runtime_reconcile_total`, `controller_runtime_reconcile_time_seconds`, and for an error
   * `controller_runtime_reconcile_errors_total`.
   */
  finished(result: ReconcileResult, seconds: number): void;
  /** `controller_runtime_terminal_reconcile_errors_total`: the error is not tried again. Besides `finished("error")`. */
  terminal(): void;
  /** `controller_runtime_reconcile_panics_total`: the reconciler threw what it never should. Besides `finished("error")`. */
  panicked(): void;
  /** `controller_runtime_reconcile_timeouts_total`: it was given up after its time limit. Besides `finished("error")`. */
  timedOut(): void;
}

export const reconcileResults = ["success", "error", "requeue", "requeue_after"] as const;

export type ReconcileResult = (typeof reconcileResults)[number];

export const noReconcileMetrics: ReconcileMetrics = {
  started() {},
  finished() {},
  terminal() {},
  panicked() {},
  timedOut() {},
};
