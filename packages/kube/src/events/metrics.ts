/** What the event recorder tells its metrics. */
export interface EventMetrics {
  /** `events_dropped_total`: an event was lost: the queue was full, the server refused it, or it could not be reached. */
  dropped(): void;
}

export const noEventMetrics: EventMetrics = {
  dropped() {},
};
