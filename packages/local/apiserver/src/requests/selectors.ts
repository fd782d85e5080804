/** Selectors in a query; what is wrong with them is said in the words of Kubernetes. */
import {
  type FieldMatcher,
  type LabelMatcher,
  ParseError,
  parseFieldSelector,
  parseLabelSelector,
} from "@berg/apimachinery";
import { badRequest } from "../errors/refusals.ts";
import { readText } from "./address.ts";
import { labelSelectorProblem } from "./label-selector-problem.ts";

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
    if (!(error instanceof ParseError)) throw error;
    throw badRequest(labelSelectorProblem(text));
  }
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
