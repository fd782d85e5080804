/** A built-in kind from what is special about it. The rest follows from its name, and is the same for all of them. */
import type { ServedResource, Strategy } from "../registry/resource.ts";
import type { Schema } from "../schema/schema.ts";
import { served } from "./served.ts";
import { toStoredForm } from "./stored-form.ts";

export type KindDefinition = Pick<ServedResource, "resource" | "kind" | "schema" | "columns"> &
  Partial<Omit<ServedResource, "strategy">> & { strategy?: Partial<Strategy> };

type FillIn = NonNullable<Strategy["fillIn"]>;

export function builtIn(definition: KindDefinition): ServedResource {
  const { schema, strategy = {} } = definition;
  return served({
    group: "",
    version: "v1",
    namespaced: true,
    ...definition,
    strategy: { hasStatus: false, hasGeneration: false, fillIn: inStoredForm(schema), ...strategy },
  });
}

/** What a kind fills in, once its object is in the form in which it is stored. */
export function inStoredForm(schema: Schema, fillIn?: FillIn): FillIn {
  return (draft) => {
    toStoredForm(draft, schema);
    fillIn?.(draft);
  };
}
