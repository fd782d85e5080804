import type { TargetReason } from "../vocabulary.ts";

/** What is wrong with a kubeconfig, by field, and the fix. Never what stands in it: this text ends up in a condition. */
export class KubeconfigProblem extends Error {
  readonly reason: TargetReason;

  constructor(reason: TargetReason, message: string) {
    super(message);
    this.name = "KubeconfigProblem";
    this.reason = reason;
  }
}

export function invalid(message: string): KubeconfigProblem {
  return new KubeconfigProblem("KubeconfigInvalid", message);
}

/** It could be used, and must not be. */
export function refused(message: string): KubeconfigProblem {
  return new KubeconfigProblem("KubeconfigRefused", message);
}
