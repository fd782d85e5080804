/**
 * What Berg remembers of the running of each instance, beside the cluster's own objects: that it holds a place
 * (reservation), how it is (status), since when and until when it ran (start tracking). One interface, several places to
 * keep them: `cluster` and `database`. `testing/suite.ts` says what each must hold to.
 */

/** One life of one instance. */
export interface RuntimeRecord {
  /** Of the ChallengeInstance: unlike its name it is never used twice. */
  readonly uid: string;
  readonly instance: { readonly namespace: string; readonly name: string };
  /** The one that holds its pods. */
  readonly namespace: string;
  readonly ownerId: string;
  readonly challenge: string;
  readonly status: RuntimeStatus;
  /** All times in whole ms since 1970. */
  readonly startedAt: number;
  /** There as long as it is STOPPED. */
  readonly stoppedAt?: number;
  /** Its place is held until then. A stopped one holds none. */
  readonly reservedUntil?: number;
  /** The pod that runs each container now, by the name of the container. */
  readonly pods: Readonly<Record<string, RunningPod>>;
}

export type RuntimeStatus = "STARTING" | "RUNNING" | "STOPPED";

export interface RunningPod {
  readonly uid: string;
  /** Of the container in this pod. */
  readonly restarts: number;
  /** Pods that this one replaced. */
  readonly replaced: number;
}

/** What is seen of an instance that lives. */
export interface Life extends Omit<RuntimeRecord, "status" | "stoppedAt" | "pods"> {
  readonly status: "STARTING" | "RUNNING";
}

export interface RuntimeRecords extends AsyncDisposable {
  /**
   * Opens the record, or notes what changed of it: status, reservation (one that is left out is given up). All else of a
   * life never changes. One that was stopped is open again, with the pods that it had: what was taken back may be made
   * once more. Whether it is open now: it is not where the instance that holds it is gone.
   */
  live(life: Life, signal?: AbortSignal): Promise<boolean>;
  /**
   * Notes which pod runs a container of it. Two may note at once for different containers; of one container the caller
   * keeps the order. Nothing happens where there is no open record.
   */
  pod(uid: string, container: string, seen: { uid: string; restarts: number }, signal?: AbortSignal): Promise<void>;
  /** Closes it: STOPPED, its place is free. The first time counts. Whether it was open until now. */
  stop(uid: string, at: number, signal?: AbortSignal): Promise<boolean>;
  get(uid: string, signal?: AbortSignal): Promise<RuntimeRecord | undefined>;
  /** All that are not stopped. */
  open(signal?: AbortSignal): Promise<RuntimeRecord[]>;
}
