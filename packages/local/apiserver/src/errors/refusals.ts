/** Every way in which the server says no, in the words of Kubernetes. What is thrown from here is answered as it is. */
import { resourceName, type Status, type StatusDetails, StatusError } from "@berg/apimachinery";
import { causeOf, type FieldError, formatFieldError } from "./field-error.ts";

/** What a refusal is about: a resource by its group and plural, or a kind where no resource is meant. */
export interface Subject {
  group: string;
  resource: string;
  name?: string | undefined;
}

export function refusal(code: number, reason: string, message: string, details?: StatusDetails): StatusError {
  const status: Status = { apiVersion: "v1", kind: "Status", metadata: {}, status: "Failure", message, code };
  // Kubernetes leaves out the reason where an error came from deep inside it.
  return new StatusError({ ...status, ...(reason && { reason }), ...(details && { details }) });
}

export function notFound(subject: Subject): StatusError {
  return refusal(404, "NotFound", `${resourceName(subject)} "${subject.name}" not found`, detailsOf(subject));
}

/** No such path, kind or resource. */
export function noSuchPath(): StatusError {
  return refusal(404, "NotFound", "the server could not find the requested resource", {});
}

export function alreadyExists(subject: Subject): StatusError {
  return refusal(409, "AlreadyExists", `${resourceName(subject)} "${subject.name}" already exists`, detailsOf(subject));
}

export function conflict(subject: Subject, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${resourceName(subject)} "${subject.name}": ${why}`;
  return refusal(409, "Conflict", message, detailsOf(subject));
}

export const objectWasModified =
  "the object has been modified; please apply your changes to the latest version and try again";

/** `kind` is the kind of the object, such as Pod. */
export function invalid(subject: { group: string; kind: string; name: string }, errors: FieldError[]): StatusError {
  const { group, kind, name } = subject;
  const texts = [...new Set(errors.map(formatFieldError))];
  const list = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
  const kindName = group === "" ? kind : `${kind}.${group}`;
  const details: StatusDetails = {
    ...(name && { name }),
    ...(group && { group }),
    ...(kind && { kind }),
    causes: errors.map(causeOf),
  };
  return refusal(422, "Invalid", `${kindName} "${name}" is invalid: ${list}`, details);
}

export function badRequest(message: string): StatusError {
  return refusal(400, "BadRequest", message);
}

export function unauthorized(): StatusError {
  return refusal(401, "Unauthorized", "Unauthorized");
}

/** `why` in full, without the subject: `User "x" cannot list resource…`, or what an admission check found. */
export function forbidden(subject: Subject, why: string): StatusError {
  const named = subject.name ? `${resourceName(subject)} "${subject.name}"` : resourceName(subject);
  return refusal(403, "Forbidden", `${named} is forbidden: ${why}`, detailsOf(subject));
}

export function methodNotAllowed(): StatusError {
  return refusal(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {});
}

export function notAcceptable(types: readonly string[]): StatusError {
  return refusal(406, "NotAcceptable", `only the following media types are accepted: ${types.join(", ")}`);
}

export function unsupportedMediaType(type: string, types: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${types.join(", ")}`;
  return refusal(415, "UnsupportedMediaType", message, type === "" ? undefined : {});
}

export function requestTooLarge(message: string): StatusError {
  return refusal(413, "RequestEntityTooLarge", message);
}

/** The history that was asked for is no longer kept. */
export function expired(message: string): StatusError {
  return refusal(410, "Expired", message);
}

export function resourceVersionTooLarge(wanted: number, current: number): StatusError {
  return refusal(504, "Timeout", `Timeout: Too large resource version: ${wanted}, current: ${current}`, {
    causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
    retryAfterSeconds: 1,
  });
}

export function internalError(why: string): StatusError {
  return refusal(500, "InternalError", `Internal error occurred: ${why}`, { causes: [{ message: why }] });
}

function detailsOf({ group, resource, name }: Subject): StatusDetails {
  return { ...(name && { name }), ...(group && { group }), kind: resource };
}
