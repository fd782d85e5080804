import { StatusError } from "@berg/apimachinery";

/** What is asked for is not there, or not yet. */
export function notNow(message: string): StatusError {
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason: "BadRequest",
    code: 400,
  });
}

export function cannotConnect(why: string): StatusError {
  const message = `unable to upgrade connection: ${why}`;
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason: "InternalError",
    code: 500,
  });
}
