/** What is wrong with one field of an object, in the words of Kubernetes: `spec.replicas: Invalid value: -1: must be…`. */
import type { StatusCause } from "@berg/apimachinery";
import { goText } from "./go-text.ts";

export type FieldErrorReason =
  | "FieldValueInvalid"
  | "FieldValueRequired"
  | "FieldValueDuplicate"
  | "FieldValueNotSupported"
  | "FieldValueForbidden"
  | "FieldValueNotFound"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "FieldValueTypeInvalid"
  | "InternalError";

export interface FieldError {
  reason: FieldErrorReason;
  /** `spec.containers[0].image`; `<nil>` for the object itself. */
  field: string;
  /** Without the field: `Required value: must name an image`. */
  message: string;
}

const titles: Record<FieldErrorReason, string> = {
  FieldValueInvalid: "Invalid value",
  FieldValueRequired: "Required value",
  FieldValueDuplicate: "Duplicate value",
  FieldValueNotSupported: "Unsupported value",
  FieldValueForbidden: "Forbidden",
  FieldValueNotFound: "Not found",
  FieldValueTooLong: "Too long",
  FieldValueTooMany: "Too many",
  FieldValueTypeInvalid: "Invalid value",
  InternalError: "Internal error",
};

export function invalid(field: string, value: unknown, detail: string): FieldError {
  return withValue("FieldValueInvalid", field, value, detail);
}

/** A value of the wrong type. Where the type is named instead of the value, `value` is that name, such as "string". */
export function typeInvalid(field: string, value: unknown, detail: string): FieldError {
  return withValue("FieldValueTypeInvalid", field, value, detail);
}

export function required(field: string, detail = ""): FieldError {
  return without("FieldValueRequired", field, detail);
}

export function duplicate(field: string, value: unknown): FieldError {
  return withValue("FieldValueDuplicate", field, value, "");
}

export function notFound(field: string, value: unknown): FieldError {
  return withValue("FieldValueNotFound", field, value, "");
}

export function forbidden(field: string, detail: string): FieldError {
  return without("FieldValueForbidden", field, detail);
}

/** `Unsupported value: "x": supported values: "a", "b"`. */
export function notSupported(field: string, value: unknown, supported: readonly unknown[]): FieldError {
  const detail = supported.length === 0 ? "" : `supported values: ${supported.map(goText).join(", ")}`;
  return withValue("FieldValueNotSupported", field, value, detail);
}

export function tooLong(field: string, maxLength: number): FieldError {
  return without("FieldValueTooLong", field, `may not be more than ${maxLength} ${maxLength === 1 ? "byte" : "bytes"}`);
}

export function tooMany(field: string, actual: number, most: number): FieldError {
  return without("FieldValueTooMany", field, `${actual}: must have at most ${most} ${most === 1 ? "item" : "items"}`);
}

export function internalError(field: string, detail: string): FieldError {
  return without("InternalError", field, detail);
}

/** `spec.replicas: Invalid value: -1: must be greater than or equal to 0`. */
export function formatFieldError({ field, message }: FieldError): string {
  return `${field}: ${message}`;
}

export function causeOf({ reason, field, message }: FieldError): StatusCause {
  return { reason, message, field };
}

function withValue(reason: FieldErrorReason, field: string, value: unknown, detail: string): FieldError {
  const shown = `${titles[reason]}: ${goText(value)}`;
  return { reason, field, message: detail === "" ? shown : `${shown}: ${detail}` };
}

function without(reason: FieldErrorReason, field: string, detail: string): FieldError {
  return { reason, field, message: detail === "" ? titles[reason] : `${titles[reason]}: ${detail}` };
}
