/** What the REST client tells its metrics, after each try. */
export interface RequestMetrics {
  /** `rest_client_requests_total`, `rest_client_request_duration_seconds`: one try was answered, or failed. */
  finished(request: RequestLabels, seconds: number): void;
  /** `rest_client_request_retries_total`: the request is tried again, after this answer. */
  retried(request: RequestLabels): void;
  /** `rest_client_rate_limiter_duration_seconds`: how long the request waited for its turn. */
  rateLimited(seconds: number): void;
}

export interface RequestLabels {
  method: string;
  host: string;
  /** The status code, or `<error>` where there was no answer. */
  code: string;
}

export const noRequestMetrics: RequestMetrics = {
  finished() {},
  retried() {},
  rateLimited() {},
};
