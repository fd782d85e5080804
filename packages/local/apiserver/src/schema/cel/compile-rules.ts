/** From a schema to its rules: a tree that has only the branches on which there are rules. */
import type { FieldError } from "../../errors/field-error.ts";
import type { Schema } from "../schema.ts";
import { compileRule, type Rule, textProblems } from "./rule.ts";
import { CompiledRules } from "./rules.ts";
import { type Shape, shapeOf } from "./shape.ts";

export interface RuleNode {
  readonly schema: Schema;
  readonly shape: Shape | undefined;
  readonly rules: readonly Rule[];
  readonly items: RuleNode | undefined;
  /** Of a map. */
  readonly values: RuleNode | undefined;
  readonly properties: ReadonlyMap<string, RuleNode>;
}

/**
 * Once for each version of a CRD. `path` is where its schema stands: `spec.versions[0].schema.openAPIV3Schema`.
 *
 *     const { rules, problems } = compileRules(schema, path);
 *     rules.check(object, old) // what is wrong with an object
 */
export function compileRules(schema: Schema, path = ""): { rules: CompiledRules; problems: FieldError[] } {
  const compiler = new RulesCompiler();
  const root = compiler.compile(schema, { path, isResource: true, uncorrelatable: undefined });
  return { rules: new CompiledRules(root), problems: compiler.problems };
}

interface Place {
  path: string;
  isResource: boolean;
  uncorrelatable: string | undefined;
}

class RulesCompiler {
  readonly problems: FieldError[] = [];

  compile(schema: Schema, place: Place): RuleNode | undefined {
    const node: RuleNode = {
      schema,
      values: this.#values(schema, place),
      properties: this.#properties(schema, place),
      items: this.#items(schema, place),
      ...this.#own(schema, place),
    };
    const isEmpty = !node.values && !node.items && node.rules.length === 0 && node.properties.size === 0;
    return isEmpty ? undefined : node;
  }

  #values({ additionalProperties: of }: Schema, place: Place): RuleNode | undefined {
    if (typeof of !== "object") return undefined;
    return this.#inner(of, { ...place, path: `${place.path}.additionalProperties` });
  }

  #properties(schema: Schema, place: Place): Map<string, RuleNode> {
    const found = new Map<string, RuleNode>();
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const node = this.#inner(property, { ...place, path: `${place.path}.properties[${name}]` });
      if (node) found.set(name, node);
    }
    return found;
  }

  #items(schema: Schema, place: Place): RuleNode | undefined {
    if (!schema.items) return undefined;
    const isCorrelatable = schema["x-kubernetes-list-type"] === "map";
    const uncorrelatable = place.uncorrelatable ?? (isCorrelatable ? undefined : place.path);
    return this.#inner(schema.items, { ...place, path: `${place.path}.items`, uncorrelatable });
  }

  #inner(schema: Schema, place: Place): RuleNode | undefined {
    return this.compile(schema, { ...place, isResource: schema["x-kubernetes-embedded-resource"] === true });
  }

  #own(schema: Schema, place: Place): { rules: Rule[]; shape: Shape | undefined } {
    const sources = schema["x-kubernetes-validations"] ?? [];
    if (sources.length === 0) return { rules: [], shape: undefined };
    const pathOf = (at: number) => `${place.path}.x-kubernetes-validations[${at}]`;
    const wrong = sources.flatMap((source, at) => textProblems(source, schema, pathOf(at)));
    this.problems.push(...wrong);
    // What cannot be read is not compiled either: its mistakes would only follow from these.
    if (wrong.length > 0) return { rules: [], shape: undefined };
    const shape = shapeOf(schema, place.isResource);
    const compiled = sources.map((source, at) => compileRule(source, schema, shape, pathOf(at), place.uncorrelatable));
    for (const { problems } of compiled) this.problems.push(...problems);
    return { rules: compiled.flatMap(({ rule }) => rule ?? []), shape };
  }
}
