/** Limit ranges: what containers, pods and claims of a namespace may ask for, and get where they do not. */
import { builtIn, inStoredForm } from "../built-in.ts";
import { createdAtColumn, nameColumn } from "../columns.ts";
import { always, list, mapOf, object, quantity, text } from "../shapes.ts";
import { type LimitRangeItem, limitErrors } from "./limit-range-validation.ts";

const item = object(
  {
    type: always(text()),
    max: mapOf(quantity()),
    min: mapOf(quantity()),
    default: mapOf(quantity()),
    defaultRequest: mapOf(quantity()),
    maxLimitRequestRatio: mapOf(quantity()),
  },
  ["type"],
);

const schema = object({ spec: always(object({ limits: always(list(item)) }, ["limits"])) });

export const limitRanges = builtIn({
  resource: "limitranges",
  kind: "LimitRange",
  shortNames: ["limits"],
  schema,
  columns: [nameColumn, createdAtColumn],
  strategy: {
    createsOnUpdate: true,
    fillIn: inStoredForm(schema, (draft) => {
      for (const limit of limitsOf(draft)) if (limit.type === "Container") fillInContainer(limit);
    }),
    validate: (object) => limitErrors(limitsOf(object)),
  },
});

function limitsOf(object: unknown): LimitRangeItem[] {
  return (object as { spec: { limits: LimitRangeItem[] | null } }).spec.limits ?? [];
}

/** Who says nothing may use all that is allowed, and is taken to need as much, or else the least that is. */
function fillInContainer(limit: LimitRangeItem): void {
  const { max = {}, min = {} } = limit;
  const limits = { ...max, ...limit.default };
  const requests = { ...min, ...limits, ...limit.defaultRequest };
  if (Object.keys(limits).length > 0) limit.default = limits;
  if (Object.keys(requests).length > 0) limit.defaultRequest = requests;
}
