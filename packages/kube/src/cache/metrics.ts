/** What an informer tells its metrics. */
export interface InformerMetrics {
  /** `informer_relists_total`: everything is listed again. The reason comes from a small fixed set: it is a label. */
  relisted(reason: string): void;
  /** Names what is read at each scrape, until the function that is returned is called. */
  sample(read: () => InformerSample): () => void;
}

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
