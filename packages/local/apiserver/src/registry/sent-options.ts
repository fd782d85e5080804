/** The options of a request as admission sees them: only what the client said. */
import type { DeleteOptions, WriteOptions } from "./verbs.ts";

type Sent = Readonly<Record<string, unknown>>;

export function sentWriteOptions(kind: "CreateOptions" | "UpdateOptions", options: WriteOptions): Sent {
  const { isDryRun, fieldManager, fieldValidation } = options;
  return {
    kind,
    apiVersion: "meta.k8s.io/v1",
    ...(isDryRun && { dryRun: ["All"] }),
    ...(fieldManager !== undefined && { fieldManager }),
    // What nobody says is Warn, and who says so says no more than that.
    ...(fieldValidation !== "Warn" && { fieldValidation }),
  };
}

export function sentDeleteOptions(options: DeleteOptions): Sent {
  const { isDryRun, gracePeriodSeconds, propagationPolicy, uid, resourceVersion } = options;
  const preconditions = {
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
  return {
    kind: "DeleteOptions",
    apiVersion: "meta.k8s.io/v1",
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(Object.keys(preconditions).length > 0 && { preconditions }),
    ...(propagationPolicy && { propagationPolicy }),
    ...(isDryRun && { dryRun: ["All"] }),
  };
}
