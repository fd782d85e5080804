import { describe, expect, test } from "vitest";
import type { DefinitionDraft, DefinitionSpec, StoredDefinition } from "./definition.ts";
import { definitionStrategy } from "./definition-strategy.ts";
import { definition, odd, version } from "./testing/definitions.ts";

const moment = { now: 0, random: () => 0, newestAll: () => [] };

/** What a real API server says as well: `definition-strategy.real.test.ts` asks it. */
test.each(odd)("%s", (_, crd) => {
  const draft = structuredClone(crd);
  definitionStrategy.fillIn?.(draft);
  definitionStrategy.prepare?.(draft, undefined, moment);
  const errors = definitionStrategy.validate?.(draft, undefined, "") ?? [];
  expect(errors.map(({ field, message }) => `${field}: ${message}`)).toMatchSnapshot();
});

describe("what is there already", () => {
  const established = [{ type: "Established", status: "True" }];
  const stored = (crd: DefinitionDraft, conditions: unknown = established) => {
    const draft = structuredClone(crd);
    definitionStrategy.fillIn?.(draft);
    definitionStrategy.prepare?.(draft, undefined, moment);
    return { ...draft, status: { ...draft.status, conditions } } as StoredDefinition;
  };
  const update = (old: StoredDefinition, spec: Partial<DefinitionSpec>) => {
    const draft = structuredClone({ ...old, spec: { ...old.spec, ...spec } }) as DefinitionDraft;
    definitionStrategy.prepare?.(draft, old, moment);
    const errors = definitionStrategy.validate?.(draft, old, "") ?? [];
    return { draft, errors: errors.map(({ field, message }) => `${field}: ${message}`) };
  };

  test("keeps its scope once it is established", () => {
    const refusal = 'spec.scope: Invalid value: "Cluster": field is immutable';
    expect(update(stored(definition("odds")), { scope: "Cluster" }).errors).toEqual([refusal]);
    expect(update(stored(definition("odds"), null), { scope: "Cluster" }).errors).toEqual([]);
  });

  test("remembers every version that it was stored in, each once", () => {
    const old = stored(definition("odds"));
    const versions = [version("v1", { storage: false }), version("v2")];
    const { draft } = update(old, { versions });
    expect(draft.status?.storedVersions).toEqual(["v1", "v2"]);
    expect(update(draft as StoredDefinition, { scope: "Namespaced" }).draft.status?.storedVersions).toEqual([
      "v1",
      "v2",
    ]);
    expect(update(draft as StoredDefinition, { versions: [version("v2")] }).errors).toEqual([
      expect.stringMatching(/^status\.storedVersions\[0\]: Invalid value: "v1": missing from spec\.versions/),
    ]);
  });

  test("is not asked for an approval that it never had", () => {
    expect(update(stored(definition("odds", { group: "berg.k8s.io" })), {}).errors).toEqual([]);
  });
});
