/** What makes CustomResourceDefinition a kind of its own: its defaults, what the server decides of it, and its rules. */
import { customResourceDefinitionShape } from "../kinds/apiextensions/custom-resource-definition.ts";
import { inStoredForm } from "../kinds/built-in.ts";
import type { Strategy } from "../registry/resource.ts";
import { type DefinitionDraft, definitionOf, type StoredDefinition, versionsOf } from "./definition.ts";
import { definitionErrors, statusErrors } from "./validate-definition.ts";

/** Takes the place of the plain one: `{ ...customResourceDefinitions, strategy: definitionStrategy }`. */
export const definitionStrategy: Strategy = {
  hasStatus: true,
  hasGeneration: true,
  needsVersion: true,
  fillIn: inStoredForm(customResourceDefinitionShape, (draft) => fillInDefaults(definitionOf(draft))),
  prepare(draft, old) {
    prepareStatus(definitionOf(draft), old && (definitionOf(old) as StoredDefinition));
  },
  validate(object, old, subresource) {
    const crd = definitionOf(object);
    return subresource === "status"
      ? statusErrors(crd)
      : definitionErrors(crd, old && (definitionOf(old) as StoredDefinition));
  },
};

function fillInDefaults({ spec }: DefinitionDraft): void {
  const { names } = spec;
  if (names.kind) {
    names.singular ||= names.kind.toLowerCase();
    names.listKind ||= `${names.kind}List`;
  }
  spec.conversion ??= { strategy: "None" };
}

/** Every version that objects were ever stored in is kept in mind. */
function prepareStatus(crd: DefinitionDraft, old: StoredDefinition | undefined): void {
  const before = old?.status ?? { conditions: null, acceptedNames: { plural: "", kind: "" }, storedVersions: null };
  const storage = versionsOf(crd.spec).find(({ storage }) => storage)?.name;
  const stored = before.storedVersions ?? [];
  const isNew = storage !== undefined && !stored.includes(storage);
  crd.status = isNew ? { ...before, storedVersions: [...stored, storage] } : before;
}
