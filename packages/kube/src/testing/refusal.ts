import { type Status, StatusError } from "@berg/apimachinery";

/** What a server's refusal is thrown as: `refusal(409, { reason: "AlreadyExists" })`. */
export function refusal(code: number, more: Partial<Status> = {}): StatusError {
  return new StatusError({ apiVersion: "v1", kind: "Status", status: "Failure", code, ...more });
}
