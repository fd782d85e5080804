/** The scale of a custom kind: which of its fields hold the numbers, and whether they are numbers. */
import { type FieldError, invalid } from "../errors/field-error.ts";
import { goJson } from "../errors/go-text.ts";
import type { AnyObject, ScalePaths } from "../registry/resource.ts";

const largest = 2 ** 31 - 1;

export function scaleErrors(object: AnyObject, paths: ScalePaths | undefined, subresource: string): FieldError[] {
  if (!paths) return [];
  const { specReplicasPath: spec, statusReplicasPath: status, labelSelectorPath: selector } = paths;
  return [
    ...(subresource === "status" ? [] : replicaErrors(object, spec)),
    ...replicaErrors(object, status),
    ...(selector ? selectorErrors(object, selector) : []),
  ];
}

/** `["spec", "replicas"]` for `.spec.replicas`. */
export function stepsOf(path: string): string[] {
  return path.replace(/^\./, "").split(".");
}

function replicaErrors(object: AnyObject, path: string): FieldError[] {
  const { value, problem } = read(object, path, "integer", "int64");
  if (problem) return [invalid(path, 0, problem)];
  const replicas = (value as number | undefined) ?? 0;
  if (replicas < 0) return [invalid(path, replicas, "should be a non-negative integer")];
  return replicas > largest ? [invalid(path, replicas, `should be less than or equal to ${largest}`)] : [];
}

function selectorErrors(object: AnyObject, path: string): FieldError[] {
  const { problem } = read(object, path, "string", "string");
  return problem ? [invalid(path, "", problem)] : [];
}

function read(object: unknown, path: string, type: "integer" | "string", goType: string) {
  let value = object;
  for (const step of stepsOf(path)) {
    if (value === null || value === undefined) return { value: undefined };
    if (typeof value !== "object" || Array.isArray(value)) {
      const shown = `${path} accessor error: ${goValue(value)} is of the type ${goTypeOf(value)}`;
      return { value: undefined, problem: `${shown}, expected map[string]interface{}` };
    }
    value = Object.hasOwn(value, step) ? (value as Record<string, unknown>)[step] : undefined;
  }
  const isRight = type === "integer" ? Number.isInteger(value) : typeof value === "string";
  if (value === undefined || isRight) return { value };
  const shown = `${path} accessor error: ${goValue(value)} is of the type ${goTypeOf(value)}`;
  return { value: undefined, problem: `${shown}, expected ${goType}` };
}

function goTypeOf(value: unknown): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : typeof value === "string" ? "string" : "map[string]interface {}";
}

function goValue(value: unknown): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goValue).join(" ")}]`;
  return typeof value === "object" ? goJson(value) : String(value);
}
