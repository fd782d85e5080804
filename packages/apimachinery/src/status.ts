/** What the API server answers when it refuses: the `Status` kind of `v1`. */
export interface Status {
  apiVersion: "v1";
  kind: "Status";
  metadata?: Record<string, unknown>;
  status: "Success" | "Failure";
  code: number;
  reason?: string;
  message?: string;
  details?: StatusDetails;
}

export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

/** A refusal by the API server. Ask the predicates below rather than comparing codes. */
export class StatusError extends Error {
  readonly status: Status;

  constructor(status: Status, options?: ErrorOptions) {
    super(status.message || `the server answered ${status.code} ${status.reason ?? ""}`.trim(), options);
    this.name = "StatusError";
    this.status = status;
  }

  get code(): number {
    return this.status.code;
  }

  get reason(): string {
    return this.status.reason || reasonOfCode[this.status.code] || "Unknown";
  }
}

export function isStatus(value: unknown): value is Status {
  return typeof value === "object" && value !== null && (value as { kind?: unknown }).kind === "Status";
}

// The reason decides; the code stands in where a proxy has answered in the server's place and knows no reasons.
const reasonOfCode: Record<number, string> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  406: "NotAcceptable",
  409: "Conflict",
  410: "Gone",
  413: "RequestEntityTooLarge",
  415: "UnsupportedMediaType",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

function hasReason(...reasons: string[]) {
  return (error: unknown): boolean => error instanceof StatusError && reasons.includes(error.reason);
}

export const isBadRequest = hasReason("BadRequest");
export const isUnauthorized = hasReason("Unauthorized");
export const isForbidden = hasReason("Forbidden");
export const isNotFound = hasReason("NotFound");
export const isMethodNotSupported = hasReason("MethodNotAllowed");
export const isAlreadyExists = hasReason("AlreadyExists");
/** Somebody else wrote first: read again. An object that exists already is not a conflict in this sense. */
export const isConflict = hasReason("Conflict");
/** The history asked for is no longer kept: list again. */
export const isGone = hasReason("Gone", "Expired");
export const isInvalid = hasReason("Invalid");
export const isTooLarge = hasReason("RequestEntityTooLarge");
export const isTooManyRequests = hasReason("TooManyRequests");
export const isServerTimeout = hasReason("ServerTimeout", "Timeout");
export const isInternalError = hasReason("InternalError");
export const isServiceUnavailable = hasReason("ServiceUnavailable");

/** The server's history is behind the version asked for, as after a restore of its data. */
export function isTooLargeResourceVersion(error: unknown): boolean {
  return hasCause(error, "ResourceVersionTooLarge");
}

/** The namespace is on its way out, and takes no new objects. */
export function isNamespaceTerminating(error: unknown): boolean {
  return isForbidden(error) && hasCause(error, "NamespaceTerminating");
}

function hasCause(error: unknown, reason: string): boolean {
  return (
    error instanceof StatusError && error.status.details?.causes?.some((cause) => cause.reason === reason) === true
  );
}

/**
 * The write named a UID, and another object bears the name by now. Where the name is free again the server calls it a
 * conflict; where it is taken, an invalid change of an immutable field.
 */
export function isOtherUid(error: unknown): boolean {
  if (!(error instanceof StatusError)) return false;
  return isInvalid(error) && error.status.details?.causes?.some(({ field }) => field === "metadata.uid") === true;
}

export function retryAfterSeconds(error: unknown): number | undefined {
  return error instanceof StatusError ? error.status.details?.retryAfterSeconds : undefined;
}
