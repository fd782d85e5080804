/** Whether what is applied is of the shape of its kind. The texts are Kubernetes' own, Go's spelling included. */
import { type FieldType, type ListType, type MapType, type ScalarType, sortOf } from "./field-type.ts";
import { goType, inGo, plain } from "./go-format.ts";
import { ItemProblem, itemElement } from "./list-items.ts";
import { fieldElement, type PathElement, showElement, showPath } from "./path-element.ts";
import { isList, isObject, type JsonObject } from "./values.ts";

/** What is wrong, in one text; undefined where nothing is. Items of a list `mayRepeat` in what is there already. */
export function typeProblems(type: FieldType, value: unknown, mayRepeat = false): string | undefined {
  const checking = new Checking(mayRepeat);
  checking.value(type, value);
  const [first] = checking.problems;
  if (checking.problems.length <= 1) return first;
  return ["errors:", ...checking.problems.map((problem) => `  ${problem}`)].join("\n");
}

class Checking {
  readonly problems: string[] = [];
  readonly #path: PathElement[] = [];
  readonly #mayRepeat: boolean;

  constructor(mayRepeat: boolean) {
    this.#mayRepeat = mayRepeat;
  }

  value(type: FieldType, value: unknown): void {
    if (value === null) return;
    const sort = sortOf(type, value);
    if (sort === "map" && type.map) {
      if (isObject(value)) this.#fields(type.map, value);
      else this.#problem(`expected map, got &{${plain(value)}}`);
    } else if (sort === "list" && type.list) {
      if (isList(value)) this.#items(type.list, value);
      else this.#problem(`expected list, got &{${plain(value)}}`);
    } else if (type.scalar) {
      const problem = scalarProblem(type.scalar, value);
      if (problem) this.#problem(problem);
    }
  }

  #fields(type: MapType, map: JsonObject): void {
    for (const [key, value] of Object.entries(map)) {
      const field = type.field(key) ?? type.others;
      this.#path.push(fieldElement(key));
      if (field) this.value(field, value);
      else this.#problem("field not declared in schema");
      this.#path.pop();
      if (!field) return;
    }
  }

  #items(type: ListType, list: readonly unknown[]): void {
    const seen = new Set<PathElement>();
    for (const [index, item] of list.entries()) {
      const element = type.isAtomic ? `i:${index}` : elementOrProblem(type, item);
      if (element instanceof ItemProblem) {
        this.#problem(`element ${index}: ${element.message}`);
        return;
      }
      if (seen.has(element) && !this.#mayRepeat) this.#problem(`duplicate entries for key ${showElement(element)}`);
      seen.add(element);
      this.#path.push(element);
      this.value(type.items, item);
      this.#path.pop();
    }
  }

  #problem(text: string): void {
    const path = showPath(this.#path);
    this.problems.push(path === "" ? text : `${path}: ${text}`);
  }
}

function elementOrProblem(type: ListType, item: unknown): PathElement | ItemProblem {
  try {
    return itemElement(type, item);
  } catch (problem) {
    if (problem instanceof ItemProblem) return problem;
    throw problem;
  }
}

function scalarProblem(type: ScalarType, value: unknown): string | undefined {
  switch (type) {
    case "numeric":
      return typeof value === "number" ? undefined : `expected numeric (int or float), got ${goType(value)}`;
    case "string":
      return typeof value === "string"
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${inGo(value)}}`;
    case "boolean":
      return typeof value === "boolean" ? undefined : `expected boolean, got &{${plain(value)}}`;
    case "untyped":
      return typeof value !== "object" ? undefined : `expected any scalar, got &{${plain(value)}}`;
  }
}
