/** Resource quotas: how much a namespace may have of everything together. */
import { jsonEqual } from "@berg/apimachinery";
import { type FieldError, invalid, required } from "../../errors/field-error.ts";
import { builtIn } from "../built-in.ts";
import { ageColumn, column, nameColumn } from "../columns.ts";
import { always, atomicObject, choice, list, mapOf, object, quantity, text } from "../shapes.ts";
import { amountErrors, isForQuotas, quotaResourceErrors, readQuantity } from "./resource-names.ts";

interface Requirement {
  scopeName: string;
  operator: string;
  values?: string[];
}

interface QuotaSpec {
  hard?: Record<string, string>;
  scopes?: string[];
  scopeSelector?: { matchExpressions?: Requirement[] };
}

interface ResourceQuota {
  spec: QuotaSpec;
  status: { hard?: Record<string, string>; used?: Record<string, string> };
}

const podScopes = ["BestEffort", "NotBestEffort", "Terminating", "NotTerminating", "CrossNamespacePodAffinity"];
const scopes = [...podScopes, "PriorityClass", "VolumeAttributesClass"].sort();
const scope = choice(...scopes);

const requirement = object(
  {
    scopeName: always(scope),
    operator: always(choice("DoesNotExist", "Exists", "In", "NotIn")),
    values: list(text()),
  },
  ["scopeName", "operator"],
);

export const resourceQuotas = builtIn({
  resource: "resourcequotas",
  kind: "ResourceQuota",
  shortNames: ["quota"],
  schema: object({
    spec: always(
      object({
        hard: mapOf(quantity()),
        scopes: list(scope),
        scopeSelector: atomicObject({ matchExpressions: list(requirement) }),
      }),
    ),
    status: always(object({ hard: mapOf(quantity()), used: mapOf(quantity()) })),
  }),
  columns: [
    nameColumn,
    column("Request", "What is used and may be used.", (object) => showUse(object as unknown as ResourceQuota, false)),
    column("Limit", "The same for limits.", (object) => showUse(object as unknown as ResourceQuota, true)),
    ageColumn,
  ],
  strategy: {
    hasStatus: true,
    prepare(draft, old) {
      if (!old) draft.status = {};
    },
    validate(object, old, subresource) {
      const { spec, status } = object as unknown as ResourceQuota;
      if (subresource === "status")
        return [...amountsErrors("status.hard", status.hard), ...amountsErrors("status.used", status.used)];
      const before = (old as unknown as ResourceQuota | undefined)?.spec;
      return [...specErrors(spec), ...(before ? scopeChangeErrors(spec, before) : [])];
    },
    warnings: (object, old) => (old ? [] : requestWarnings((object as unknown as ResourceQuota).spec.hard ?? {})),
  },
});

function specErrors(spec: QuotaSpec): FieldError[] {
  return [...amountsErrors("spec.hard", spec.hard), ...scopesErrors(spec), ...selectorErrors(spec)];
}

function amountsErrors(field: string, amounts: Record<string, string> = {}): FieldError[] {
  return Object.entries(amounts).flatMap(([name, value]) => [
    ...quotaResourceErrors(`${field}[${name}]`, name),
    ...amountErrors(`${field}[${name}]`, name, value),
  ]);
}

function scopesErrors({ hard = {}, scopes: wanted = [] }: QuotaSpec): FieldError[] {
  const field = "spec.scopes";
  const errors: FieldError[] = [];
  // Each scope once: the same error again says nothing, and shows the whole list each time.
  for (const scope of new Set(wanted)) {
    if (!scopes.includes(scope)) errors.push(invalid(field, wanted, "unsupported scope"));
    for (const _ of unfit(scope, hard)) errors.push(invalid(field, wanted, "unsupported scope applied to resource"));
  }
  return [...errors, ...contradictions(wanted).map((text) => invalid(field, wanted, text))];
}

function selectorErrors({ hard = {}, scopes: wanted, scopeSelector }: QuotaSpec): FieldError[] {
  const field = "spec.scopeSelector.matchExpressions";
  const requirements = scopeSelector?.matchExpressions ?? [];
  const errors: FieldError[] = [];
  const checked = new Set<string>();
  for (const { scopeName, operator, values = [] } of requirements) {
    if (!scopes.includes(scopeName)) errors.push(invalid(`${field}.scopeName`, scopeName, "unsupported scope"));
    for (const _ of checked.has(scopeName) ? [] : unfit(scopeName, hard))
      errors.push(invalid(field, shownSelector(requirements), "unsupported scope applied to resource"));
    checked.add(scopeName);
    if (podScopes.includes(scopeName) && operator !== "Exists")
      errors.push(
        invalid(
          `${field}.operator`,
          operator,
          "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity",
        ),
      );
    if (operator === "In" || operator === "NotIn") {
      if (values.length === 0)
        errors.push(
          required(
            `${field}.values`,
            "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
          ),
        );
    } else if (operator === "Exists" || operator === "DoesNotExist") {
      if (values.length > 0)
        errors.push(
          invalid(
            `${field}.values`,
            values,
            "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector",
          ),
        );
    } else errors.push(invalid(`${field}.operator`, operator, "not a valid selector operator"));
  }
  const named = requirements.map(({ scopeName }) => scopeName);
  return [...errors, ...contradictions(named).map((text) => invalid(field, wanted, text))];
}

/** As Kubernetes shows it there: with the names that its own code has for the fields. */
function shownSelector(requirements: Requirement[]): unknown {
  return {
    MatchExpressions: requirements.map(({ scopeName, operator, values }) => ({
      ScopeName: scopeName,
      Operator: operator,
      Values: values ?? null,
    })),
  };
}

const computed = ["cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory"];

/** The resources that a scope says nothing about. */
function unfit(scope: string, hard: Record<string, string>): string[] {
  const fits =
    scope === "BestEffort"
      ? ["pods"]
      : scope === "VolumeAttributesClass"
        ? ["persistentvolumeclaims", "requests.storage"]
        : ["pods", ...computed];
  if (!scopes.includes(scope)) return [];
  return Object.keys(hard).filter((name) => isForQuotas(name) && !fits.includes(name));
}

function contradictions(named: readonly string[]): string[] {
  const both = (a: string, b: string) => named.includes(a) && named.includes(b);
  const pairs = [both("BestEffort", "NotBestEffort"), both("Terminating", "NotTerminating")];
  return pairs.filter((isBoth) => isBoth).map(() => "conflicting scopes");
}

function scopeChangeErrors({ scopes: now = [] }: QuotaSpec, { scopes: before = [] }: QuotaSpec): FieldError[] {
  const sorted = (names: string[]) => [...new Set(names)].sort();
  if (jsonEqual(sorted(now), sorted(before))) return [];
  return [invalid("spec.scopes", now.length > 0 ? now : null, "field is immutable")];
}

/** Requests above the limits can never be used up. */
function requestWarnings(hard: Record<string, string>): string[] {
  return ["cpu", "memory", "ephemeral-storage"].flatMap((name) => {
    const bare = name === "ephemeral-storage" ? undefined : name;
    const requestName = `requests.${name}` in hard ? `requests.${name}` : bare;
    const request = requestName && hard[requestName];
    const limit = hard[`limits.${name}`];
    if (request === undefined || limit === undefined || readQuantity(limit).compare(readQuantity(request)) >= 0)
      return [];
    return [`ResourceQuota ${requestName} (${request}) should be less than limits.${name} (${limit})`];
  });
}

function showUse({ status: { hard = {}, used = {} } }: ResourceQuota, isLimit: boolean): string {
  const names = Object.keys(hard).filter((name) => name.startsWith("limits.") === isLimit);
  return names
    .sort()
    .map((name) => `${name}: ${used[name] ?? "0"}/${hard[name]}`)
    .join(", ");
}
