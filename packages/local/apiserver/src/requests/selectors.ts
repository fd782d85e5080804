/** Selectors in a query; what is wrong with them is said in the words of Kubernetes. */
import { type FieldMatcher, type LabelMatcher, parseFieldSelector, parseLabelSelector } from "@berg/apimachinery";
import { badRequest } from "../errors/refusals.ts";
import { readText } from "./address.ts";

export interface Selectors {
  labelSelector?: LabelMatcher;
  fieldSelector?: FieldMatcher;
}

export function readSelectors(query: URLSearchParams): Selectors {
  const labels = readText(query, "labelSelector");
  const fields = readText(query, "fieldSelector");
  return {
    ...(labels !== undefined && { labelSelector: readLabels(labels) }),
    ...(fields !== undefined && { fieldSelector: readFields(fields) }),
  };
}

function readLabels(text: string): LabelMatcher {
  try {
    return parseLabelSelector(text);
  } catch (error) {
    throw badRequest(`unable to parse requirement: ${problemOf(error)}`);
  }
}

// Ours: `cannot read label selector "a===b": expected a value, found "="`. Kubernetes': `found '=', expected: identifier`.
function problemOf(error: unknown): string {
  if (!(error instanceof Error)) throw error;
  const problem = error.message.replace(/^cannot read label selector ".*?(?<!\\)": /s, "");
  const [, wanted, found] = /^expected (.*), found (.*)$/s.exec(problem) ?? [];
  if (wanted === undefined || found === undefined) return problem;
  const token = found === "the end" ? "" : (JSON.parse(found) as string);
  return `found '${token}', expected: ${wanted === "a value" || wanted === "a label key" ? "identifier" : wanted}`;
}

function readFields(text: string): FieldMatcher {
  try {
    return parseFieldSelector(text);
  } catch {
    const terms = text.split(/(?<!\\),/);
    const bad = terms.find((term) => term !== "" && !/[^=!].*=|[^=!]=/.test(term)) ?? text;
    throw badRequest(`invalid selector: '${text}'; can't understand '${bad}'`);
  }
}
