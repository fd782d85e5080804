/** The formats that Kubernetes checks. Others are allowed, and mean nothing. */
import type { Schema } from "../../schema.ts";
import { isCidr, isEmail, isHostname, isIPv4, isIPv6, isMac, isUri } from "./network.ts";
import * as numbers from "./numbers.ts";
import { isDate, isDateTime, isDuration } from "./times.ts";

type Checker = (text: string) => boolean;

/** By name without dashes: `datetime` and `date-time` are the same. */
const checkers: Readonly<Record<string, Checker>> = {
  bsonobjectid: (text) => /^[0-9a-f]{24}$/i.test(text),
  uri: isUri,
  email: isEmail,
  hostname: isHostname,
  ipv4: isIPv4,
  ipv6: isIPv6,
  cidr: isCidr,
  mac: isMac,
  uuid: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
  uuid3: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
  uuid4: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text),
  uuid5: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text),
  isbn: (text) => numbers.isIsbn10(text) || numbers.isIsbn13(text),
  isbn10: numbers.isIsbn10,
  isbn13: numbers.isIsbn13,
  creditcard: numbers.isCreditCard,
  ssn: (text) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  hexcolor: (text) => /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text),
  rgbcolor: numbers.isRgbColor,
  // Not the empty text: it has no last group.
  byte: (text) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/.test(text),
  password: () => true,
  date: isDate,
  duration: isDuration,
  datetime: isDateTime,
  k8sshortname: (text) => text.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text),
  k8slongname: (text) =>
    text.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(text),
};

/** The format that is checked; undefined where there is none, or it means nothing for this type. */
export function formatOf(schema: Schema): string | undefined {
  const { format } = schema;
  if (!format) return undefined;
  const type = schema["x-kubernetes-int-or-string"] ? undefined : schema.type;
  switch (type) {
    case undefined:
    case "string":
      return Object.hasOwn(checkers, plain(format)) ? format : undefined;
    case "integer":
      return format === "int32" || format === "int64" ? format : undefined;
    case "number":
      return format === "float" || format === "double" ? format : undefined;
    default:
      return undefined;
  }
}

/** Of texts. */
export function checkerOf(schema: Schema): Checker | undefined {
  const format = formatOf(schema);
  return format === undefined || !Object.hasOwn(checkers, plain(format)) ? undefined : checkers[plain(format)];
}

function plain(format: string): string {
  return format.replaceAll("-", "");
}
