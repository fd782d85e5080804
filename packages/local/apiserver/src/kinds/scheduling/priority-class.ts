/** Priority classes: names for how important pods are. */
import { type FieldError, forbidden, invalid } from "../../errors/field-error.ts";
import type { AnyObject, AnyStoredObject } from "../../registry/resource.ts";
import { builtIn, inStoredForm } from "../built-in.ts";
import { requiredOneOf } from "../checks/field-rules.ts";
import { ageColumn, column, nameColumn, textAt } from "../columns.ts";
import { always, bool, choice, int32, kept, object, text } from "../shapes.ts";

export interface PriorityClass {
  metadata: { name: string };
  value: number;
  globalDefault?: boolean;
  description?: string;
  preemptionPolicy: string;
}

const schema = object({
  value: always(int32()),
  globalDefault: bool(),
  description: text(),
  preemptionPolicy: kept(choice("Never", "PreemptLowerPriority")),
});

/** Every cluster has these from the start; their names and values are nobody else's. */
export const systemPriorityClasses = [
  {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name: "system-node-critical" },
    value: 2_000_001_000,
    description: "Used for system critical pods that must not be moved from their current node.",
  },
  {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name: "system-cluster-critical" },
    value: 2_000_000_000,
    description:
      "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
  },
] as const;

const systemPrefix = "system-";
const highestOwn = 1_000_000_000;

export const priorityClasses = builtIn({
  group: "scheduling.k8s.io",
  resource: "priorityclasses",
  kind: "PriorityClass",
  namespaced: false,
  shortNames: ["pc"],
  schema,
  columns: [
    nameColumn,
    { ...column("Value", "The priority of its pods.", (object) => asClass(object).value), type: "integer" },
    {
      ...column("Global-Default", "Whether pods that name none have it.", (object) => isDefault(object)),
      type: "boolean",
    },
    ageColumn,
    column("PreemptionPolicy", "Whether its pods push others out.", (object) => textAt(object, "preemptionPolicy")),
  ],
  strategy: {
    hasGeneration: true,
    isGenerationFixed: true,
    fillIn: inStoredForm(schema, (draft) => {
      (draft as unknown as PriorityClass).preemptionPolicy ??= "PreemptLowerPriority";
    }),
    validate: (object, old) => (old ? changeErrors(object, old) : classErrors(asClass(object))),
  },
});

function asClass(object: AnyObject): PriorityClass {
  return object as unknown as PriorityClass;
}

function isDefault(object: AnyObject): boolean {
  return asClass(object).globalDefault === true;
}

function classErrors({ metadata: { name }, value, globalDefault = false, preemptionPolicy }: PriorityClass) {
  const errors: FieldError[] = [];
  if (name?.startsWith(systemPrefix)) {
    const why = systemProblem(name, value, globalDefault);
    const text = `priority class names with '${systemPrefix}' prefix are reserved for system use only. error: ${why}`;
    if (why !== undefined) errors.push(forbidden("metadata.name", text));
  } else if (value > highestOwn) {
    errors.push(forbidden("value", `maximum allowed value of a user defined priority is ${highestOwn}`));
  }
  return [...errors, ...requiredOneOf("preemptionPolicy", preemptionPolicy, ["PreemptLowerPriority", "Never"])];
}

function systemProblem(name: string, value: number, globalDefault: boolean): string | undefined {
  const known = systemPriorityClasses.find(({ metadata }) => metadata.name === name);
  if (!known) return `${name} is not a known system priority class`;
  if (known.value !== value) return `value of ${name} PriorityClass must be ${known.value}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

/** What pods have got from it cannot become untrue. */
function changeErrors(object: AnyObject, old: AnyStoredObject): FieldError[] {
  const [now, before] = [asClass(object), asClass(old)];
  const errors: FieldError[] = [];
  if (now.value !== before.value) errors.push(forbidden("value", "may not be changed in an update."));
  if (now.preemptionPolicy !== before.preemptionPolicy)
    errors.push(invalid("preemptionPolicy", now.preemptionPolicy, "field is immutable"));
  return errors;
}
