/** What an informer tells its metrics. */
export interface InformerMetrics {
  /** `informer_relists_total`: everything is listed, for the first time or again. */
  relisted(reason: RelistReason): void;
  /** Names what is read at each scrape, until the function that is returned is called. */
  sample(read: () => InformerSample): () => void;
}

export const relistReasons = ["start", "expired", "reset", "garbled", "error_frame"] as const;

/** Why the copy could not be continued; or that there was none yet. */
export type RelistReason = (typeof relistReasons)[number];

export interface InformerSample {
  /** `informer_objects` */
  objects: number;
  /** `informer_last_event_age_seconds`: how long ago the server last sent anything. */
  lastEventAgeSeconds: number;
}

export const noInformerMetrics: InformerMetrics = {
  relisted() {},
  sample: () => () => {},
};
