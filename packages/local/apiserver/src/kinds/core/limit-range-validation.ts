/** The rules for a limit range: which resources it may name, and that its numbers agree. */
import { parseQuantity, type Quantity } from "@berg/apimachinery";
import { duplicate, type FieldError, forbidden, invalid, required } from "../../errors/field-error.ts";
import { qualifiedNameProblems } from "../../schema/metadata/names.ts";
import { allowsOvercommit, containerResourceErrors, readQuantity, resourceNameErrors } from "./resource-names.ts";

type Amounts = Record<string, string>;

export interface LimitRangeItem {
  type: string;
  max?: Amounts;
  min?: Amounts;
  default?: Amounts;
  defaultRequest?: Amounts;
  maxLimitRequestRatio?: Amounts;
}

type Part = Exclude<keyof LimitRangeItem, "type">;

export function limitErrors(limits: readonly LimitRangeItem[]): FieldError[] {
  const types = new Set<string>();
  return limits.flatMap((limit, i) => {
    const at = `spec.limits[${i}]`;
    const errors = typeErrors(`${at}.type`, limit.type);
    if (types.has(limit.type)) errors.push(duplicate(`${at}.type`, limit.type));
    types.add(limit.type);
    return [...errors, ...itemErrors(limit, at)];
  });
}

function typeErrors(field: string, type: string): FieldError[] {
  const problems = qualifiedNameProblems(type);
  if (problems.length > 0) return problems.map((problem) => invalid(field, type, problem));
  if (type.includes("/") || ["Pod", "Container", "PersistentVolumeClaim"].includes(type)) return [];
  return [invalid(field, type, "must be a standard limit type or fully qualified")];
}

function itemErrors(limit: LimitRangeItem, at: string): FieldError[] {
  const errors: FieldError[] = [];
  const isPod = limit.type === "Pod";
  const check = isPod || limit.type === "Container" ? containerResourceErrors : resourceNameErrors;
  const names = (part: Part) => Object.keys(limit[part] ?? {}).flatMap((name) => check(`${at}.${part}[${name}]`, name));
  errors.push(...names("max"), ...names("min"));
  for (const part of ["default", "defaultRequest"] as const) {
    if (!isPod) errors.push(...names(part));
    else if (limit[part]) errors.push(forbidden(`${at}.${part}`, "may not be specified when `type` is 'Pod'"));
  }
  if (limit.type === "PersistentVolumeClaim" && !limit.min?.storage && !limit.max?.storage)
    errors.push(
      required(`${at}.limits`, "either minimum or maximum storage value is required, but neither was provided"),
    );
  errors.push(...names("maxLimitRequestRatio"));
  const parts: Part[] = [
    "max",
    "min",
    "maxLimitRequestRatio",
    ...(isPod ? [] : (["default", "defaultRequest"] as const)),
  ];
  const all = new Set(parts.flatMap((part) => Object.keys(limit[part] ?? {})));
  const known = isPod ? { ...limit, default: {}, defaultRequest: {} } : limit;
  return [...errors, ...[...all].flatMap((name) => amountsErrors(known, name, at))];
}

/** min ≤ defaultRequest ≤ default ≤ max, and a ratio that they leave room for. */
function amountsErrors(limit: LimitRangeItem, name: string, at: string): FieldError[] {
  const errors: FieldError[] = [];
  const amount = (part: Part) => {
    const text = limit[part]?.[name];
    return text === undefined ? undefined : readQuantity(text);
  };
  const [min, max, ratio] = [amount("min"), amount("max"), amount("maxLimitRequestRatio")];
  const [byDefault, request] = [amount("default"), amount("defaultRequest")];
  const inOrder = (
    part: Part,
    shown: Quantity | undefined,
    low?: Quantity,
    lowName?: string,
    high?: Quantity,
    highName?: string,
  ) => {
    if (!low || !high || low.compare(high) <= 0) return;
    errors.push(
      invalid(
        `${at}.${part}[${name}]`,
        `${shown}`,
        `${lowName} value ${low} is greater than ${highName} value ${high}`,
      ),
    );
  };
  inOrder("min", min, min, "min", max, "max");
  inOrder("defaultRequest", request, min, "min", request, "default request");
  inOrder("defaultRequest", request, request, "default request", max, "max");
  inOrder("defaultRequest", request, request, "default request", byDefault, "default limit");
  inOrder("default", min, min, "min", byDefault, "default");
  inOrder("default", max, byDefault, "default", max, "max");
  if (ratio) errors.push(...ratioErrors(`${at}.maxLimitRequestRatio[${name}]`, ratio, min, max));
  if (!allowsOvercommit(name) && byDefault && request && byDefault.compare(request) !== 0)
    errors.push(
      invalid(
        `${at}.defaultRequest[${name}]`,
        `${request}`,
        `default value ${byDefault} must equal to defaultRequest value ${request} in ${name}`,
      ),
    );
  return errors;
}

function ratioErrors(field: string, ratio: Quantity, min?: Quantity, max?: Quantity): FieldError[] {
  const errors: FieldError[] = [];
  if (ratio.compare(parseQuantity("1")) < 0) errors.push(invalid(field, `${ratio}`, `ratio ${ratio} is less than 1`));
  if (!min || !max) return errors;
  const room = Number(max.milliValue()) / Number(min.milliValue());
  if (Number(ratio.milliValue()) / 1000 > room) {
    const shown = Number.isFinite(room) ? room.toFixed(6) : Number.isNaN(room) ? "NaN" : "+Inf";
    errors.push(invalid(field, `${ratio}`, `ratio ${ratio} is greater than max/min = ${shown}`));
  }
  return errors;
}
