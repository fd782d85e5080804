/** What the operations on a Shoot look like from outside, scene by scene. */
import type { LastError, OperationState, OperationType } from "../kinds.ts";

export interface Scene {
  state: OperationState;
  progress: number;
  description: string;
  errors?: Omit<LastError, "lastUpdateTime">[];
  /** How many beats it lasts; for ever unless told. */
  beats?: number;
}

/** The last scene stays until something asks for another operation. */
export type Course = readonly Scene[];

const names: Record<OperationType, string> = {
  Create: "creation",
  Reconcile: "reconciliation",
  Delete: "deletion",
  Migrate: "preparation for migration",
  Restore: "restoration",
  LiveMigrate: "live migration",
};

const processing = (progress: number): Scene => ({
  state: "Processing",
  progress,
  description: progress === 0 ? "Flow has been started." : `Executing task ${progress} of 100.`,
  beats: 1,
});

const done = (type: OperationType): Scene => ({
  state: "Succeeded",
  progress: 100,
  description: `Shoot cluster ${names[type]} was successful.`,
});

/** Waiting for its turn, then step by step to the end. */
export const succeeding = (type: OperationType): Course => [
  { state: "Pending", progress: 0, description: `Shoot cluster ${names[type]} is pending.`, beats: 1 },
  ...[0, 40, 80, 100].map(processing),
  done(type),
];

const withError = (type: OperationType, state: "Error" | "Failed", codes: string[], beats?: number): Scene => ({
  state,
  progress: 40,
  description: `Shoot cluster ${names[type]} failed.`,
  errors: [
    { description: `task "waiting until infrastructure is ready" failed: ${codes.join(", ")}`, taskID: "one", codes },
  ],
  ...(beats !== undefined && { beats }),
});

/** Gardener will not try again by itself. */
export const failing = (type: OperationType, codes: string[]): Course => [
  processing(0),
  processing(40),
  withError(type, "Failed", codes),
];

/** Gardener tries again by itself, with success. */
export const recovering = (type: OperationType, codes: string[], beats = 2): Course => [
  processing(0),
  processing(40),
  withError(type, "Error", codes, beats),
  processing(80),
  done(type),
];

/** Gardener tries again by itself, and does not get anywhere. */
export const erring = (type: OperationType, codes: string[]): Course => [
  processing(0),
  withError(type, "Error", codes),
];

/** Goes on and on. */
export const stuck: Course = [processing(0), { ...forEver(processing(40)) }];

/** No seed takes it. */
export const unscheduled: Course = [
  {
    state: "Pending",
    progress: 0,
    description: "Failed to schedule Shoot: none of the 0 seeds is valid for scheduling (no matching seeds)",
  },
];

/** It was ended from outside. */
export const aborted = (type: OperationType): Course => [
  processing(0),
  { state: "Aborted", progress: 40, description: `Shoot cluster ${names[type]} was aborted.` },
];

function forEver({ beats: _, ...scene }: Scene): Scene {
  return scene;
}

/** Which of Gardener's operations goes how. What is not told of succeeds. */
export type Script = Partial<Record<OperationType, Course>>;
