/** Named formats: `format.dns1123Label().validate(self)` gives what is wrong, or nothing. */
import {
  label1035Problems,
  labelProblems,
  labelValueProblems,
  qualifiedNameProblems,
  subdomainProblems,
} from "../../metadata/names.ts";
import { global, member, type Overload } from "../functions.ts";
import { CelError, none, Opaque, Optional } from "../values.ts";
import { parseTimestamp } from "./timestamps.ts";
import { parseUrl } from "./urls.ts";

type Check = (text: string) => string[];

class Format extends Opaque {
  readonly typeName = "kubernetes.NamedFormat";
  readonly problems: Check;
  constructor(problems: Check) {
    super();
    this.problems = problems;
  }
  equals(other: Format): boolean {
    return this.problems === other.problems;
  }
}

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** What the server is still to complete may end in a dash. */
const prefix =
  (check: Check): Check =>
  (text) =>
    check(text.replace(/-$/, "a"));
const unless =
  (is: (text: string) => boolean, problem: string): Check =>
  (text) =>
    is(text) ? [] : [problem];

const checks: [string, Check][] = [
  ["dns1123Label", labelProblems],
  ["dns1123Subdomain", subdomainProblems],
  ["dns1035Label", label1035Problems],
  ["dns1123LabelPrefix", prefix(labelProblems)],
  ["dns1123SubdomainPrefix", prefix(subdomainProblems)],
  ["dns1035LabelPrefix", prefix(label1035Problems)],
  ["qualifiedName", qualifiedNameProblems],
  ["labelValue", labelValueProblems],
  ["uri", (text) => (parseUrl(text) ? [] : [`parse ${JSON.stringify(text)}: invalid URI for request`])],
  ["uuid", unless((text) => uuid.test(text), "does not match the UUID format")],
  ["byte", unless((text) => base64.test(text), "invalid base64")],
  ["date", unless((text) => isTime(`${text}T00:00:00Z`), "invalid date")],
  ["datetime", unless(isTime, "invalid datetime")],
];

const named = new Map(checks.map(([name, check]) => [name, new Format(check)]));

export const formats: Overload[] = [
  ...[...named].map(([name, format]) => global(`format.${name}(): kubernetes.NamedFormat`, () => format)),
  global("format.named(string): optional<kubernetes.NamedFormat>", (name: string) => new Optional(named.get(name))),
  member("kubernetes.NamedFormat.validate(string): optional<list<string>>", (format: Format, text: string) => {
    const problems = format.problems(text);
    return problems.length === 0 ? none : new Optional(problems);
  }),
];

function isTime(text: string): boolean {
  try {
    parseTimestamp(text);
    return true;
  } catch (error) {
    if (error instanceof CelError) return false;
    throw error;
  }
}
