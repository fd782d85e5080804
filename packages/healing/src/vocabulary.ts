/**
 * What the listener says and measures: the reasons of the condition `Stuck`, events and figures, in one place so that
 * they can be reviewed. People search for these words and programs compare them: a change here is a change of contract.
 */

/** Why an instance is stuck: reasons of the condition `foreignConditions.stuck`. Where the controller has a word for the same trouble, it is the same word. */
export const stuckReasons = {
  imageCannotBePulled: "ImageCannotBePulled",
  containerCannotStart: "ContainerCannotStart",
  containerCrashes: "ContainerCrashes",
  outOfMemory: "OutOfMemory",
  outOfDisk: "OutOfDisk",
  evicted: "Evicted",
  podFailed: "PodFailed",
  noNodeFits: "NoNodeFits",
  notStarted: "NotStarted",
  notReady: "NotReady",
} as const;

export type StuckReason = (typeof stuckReasons)[keyof typeof stuckReasons];

/** Of the condition when it is False: it was stuck, and no longer is. */
export const recoveredReason = "Recovered";

export const eventReasons = {
  stuck: "InstanceStuck",
  recovered: "InstanceRecovered",
  restarted: "StuckPodsRestarted",
  ended: "StuckInstanceEnded",
} as const;

/** On a ChallengeInstance: how often its stuck pods were restarted, and when last: `2 2026-01-31T18:00:00Z`. */
export const stuckRestartsAnnotation = "berg.norelect.ch/stuck-restarts";

export const metricNames = {
  liveNamespaces: "berg_listener_live_namespaces",
  openRecords: "berg_listener_open_records",
  mismatch: "berg_listener_record_mismatch",
  stuck: "berg_listener_stuck_instances",
  stopped: "berg_listener_records_stopped_total",
  ghostsDeleted: "berg_listener_ghosts_deleted_total",
} as const;
