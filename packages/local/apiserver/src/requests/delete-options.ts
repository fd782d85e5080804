/** How something is to be deleted: from the body where there is one, from the query only where there is none. */
import { type FieldError, invalid as fieldInvalid, notSupported } from "../errors/field-error.ts";
import { badRequest, invalid } from "../errors/refusals.ts";
import type { DeleteOptions } from "../registry/verbs.ts";
import { readInteger, readOptionalFlag, readText } from "./address.ts";
import { dryRunProblems } from "./write-options.ts";

/** The options as they came: neither checked nor put together. */
interface Wanted {
  dryRun: readonly unknown[];
  gracePeriodSeconds?: number | undefined;
  propagationPolicy?: string | undefined;
  orphanDependents?: boolean | undefined;
  uid?: string | undefined;
  resourceVersion?: string | undefined;
}

const policies = ["Foreground", "Background", "Orphan"];

/** `body`: what stood in the request, or undefined where nothing did. */
export function readDeleteOptions(query: URLSearchParams, body: unknown): DeleteOptions {
  const wanted = body === undefined ? fromQuery(query) : fromBody(body);
  const problems = [...policyProblems(wanted), ...dryRunProblems(wanted.dryRun)];
  if (problems.length > 0) throw invalid({ group: "meta.k8s.io", kind: "DeleteOptions", name: "" }, problems);
  const policy = policyOf(wanted);
  return {
    isDryRun: wanted.dryRun.length > 0,
    ...(wanted.gracePeriodSeconds !== undefined && { gracePeriodSeconds: wanted.gracePeriodSeconds }),
    ...(policy !== undefined && { propagationPolicy: policy }),
    ...(wanted.orphanDependents === false && { asksForCascade: true }),
    ...(wanted.uid !== undefined && { uid: wanted.uid }),
    ...(wanted.resourceVersion !== undefined && { resourceVersion: wanted.resourceVersion }),
  };
}

function fromQuery(query: URLSearchParams): Wanted {
  return {
    dryRun: query.getAll("dryRun"),
    gracePeriodSeconds: readInteger(query, "gracePeriodSeconds"),
    propagationPolicy: readText(query, "propagationPolicy"),
    orphanDependents: readOptionalFlag(query, "orphanDependents"),
  };
}

function fromBody(body: unknown): Wanted {
  const fields = new Fields(body, "DeleteOptions");
  const kind = fields.text("kind");
  const apiVersion = fields.text("apiVersion");
  if (kind !== undefined && kind !== "DeleteOptions")
    throw badRequest(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion ?? "v1")} in scheme "pkg/runtime/scheme.go:111"`,
    );
  const preconditions = new Fields(fields.value("preconditions") ?? {}, "Preconditions", "Preconditions.preconditions");
  const dryRun = fields.value("dryRun") ?? [];
  if (!Array.isArray(dryRun)) throw fields.wrong("dryRun", dryRun, "[]string");
  return {
    dryRun,
    gracePeriodSeconds: fields.integer("gracePeriodSeconds"),
    propagationPolicy: fields.text("propagationPolicy"),
    orphanDependents: fields.flag("orphanDependents"),
    uid: preconditions.text("uid", "types.UID"),
    resourceVersion: preconditions.text("resourceVersion"),
  };
}

function policyProblems({ propagationPolicy: policy, orphanDependents }: Wanted): FieldError[] {
  if (policy === undefined) return [];
  const problems: FieldError[] = [];
  if (orphanDependents !== undefined)
    problems.push(
      fieldInvalid("propagationPolicy", policy, "orphanDependents and deletionPropagation cannot be both set"),
    );
  if (!policies.includes(policy)) problems.push(notSupported("propagationPolicy", policy, [...policies, "nil"]));
  return problems;
}

function policyOf({ propagationPolicy, orphanDependents }: Wanted): DeleteOptions["propagationPolicy"] {
  if (orphanDependents !== undefined) return orphanDependents ? "Orphan" : "Background";
  return propagationPolicy as DeleteOptions["propagationPolicy"];
}

/** The fields of an object that Kubernetes decodes into a Go struct; null is as good as nothing. */
class Fields {
  readonly #fields: Record<string, unknown>;
  readonly #path: string;

  constructor(value: unknown, struct: string, path = struct) {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw badRequest(`json: cannot unmarshal ${goType(value)} into Go value of type v1.${struct}`);
    this.#fields = value as Record<string, unknown>;
    this.#path = path;
  }

  value(name: string): unknown {
    return Object.hasOwn(this.#fields, name) ? (this.#fields[name] ?? undefined) : undefined;
  }

  text(name: string, type = "string"): string | undefined {
    const value = this.value(name);
    if (value === undefined || typeof value === "string") return value;
    throw this.wrong(name, value, type);
  }

  flag(name: string): boolean | undefined {
    const value = this.value(name);
    if (value === undefined || typeof value === "boolean") return value;
    throw this.wrong(name, value, "bool");
  }

  integer(name: string): number | undefined {
    const value = this.value(name);
    if (value === undefined || Number.isInteger(value)) return value as number | undefined;
    throw this.wrong(name, value, "int64");
  }

  wrong(name: string, value: unknown, type: string): Error {
    const what = type === "int64" && typeof value === "number" ? `number ${value}` : goType(value);
    return badRequest(`json: cannot unmarshal ${what} into Go struct field ${this.#path}.${name} of type ${type}`);
  }
}

function goType(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}
