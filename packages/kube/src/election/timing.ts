export interface ElectionTiming {
  /** How long others leave a silent leader its Lease. Whole seconds. */
  leaseSeconds: number;
  /** How long a leader goes on without a renewal. What is left to `leaseSeconds` is the margin between two leaders. */
  renewDeadlineSeconds: number;
  /** Between two tries, stretched by chance by up to a fifth. */
  retrySeconds: number;
}

export const defaultTiming: ElectionTiming = { leaseSeconds: 15, renewDeadlineSeconds: 10, retrySeconds: 2 };

export const jitter = 0.2;

export function checkTiming(timing: ElectionTiming): void {
  const { leaseSeconds, renewDeadlineSeconds, retrySeconds } = timing;
  const refuse = (why: string) => {
    throw new RangeError(`cannot elect a leader: ${why}`);
  };
  if (!Number.isSafeInteger(leaseSeconds)) refuse(`leaseSeconds (${leaseSeconds}) must be a whole number`);
  if (!(leaseSeconds > renewDeadlineSeconds))
    refuse(`leaseSeconds (${leaseSeconds}) must be greater than renewDeadlineSeconds (${renewDeadlineSeconds})`);
  if (!(renewDeadlineSeconds > (1 + jitter) * retrySeconds))
    refuse(`renewDeadlineSeconds (${renewDeadlineSeconds}) must be greater than 1.2 × retrySeconds (${retrySeconds})`);
  if (!(retrySeconds > 0)) refuse(`retrySeconds (${retrySeconds}) must be greater than 0`);
}
