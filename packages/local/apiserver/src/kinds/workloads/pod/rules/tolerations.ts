/** Which taints of nodes a pod puts up with. */
import { type FieldError, invalid, notSupported } from "../../../../errors/field-error.ts";
import { labelValueProblems, qualifiedNameProblems } from "../../../../schema/metadata/names.ts";
import { each, oneOf } from "../../../checks/field-rules.ts";
import type { Toleration } from "../../types.ts";

export const taintEffects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function tolerations(path: string, list: readonly Toleration[]): FieldError[] {
  return list.flatMap((toleration, index) => {
    const at = `${path}[${index}]`;
    const { key = "", operator = "", effect = "", tolerationSeconds } = toleration;
    const errors = key === "" ? [] : each(`${at}.key`, key, qualifiedNameProblems(key));
    if (key === "" && operator !== "Exists") {
      const text = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      errors.push(invalid(`${at}.operator`, operator, text));
    }
    if (tolerationSeconds !== undefined && effect !== "NoExecute")
      errors.push(invalid(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
    errors.push(...toleratedValue(at, toleration));
    return effect === "" ? errors : [...errors, ...oneOf(`${at}.effect`, effect, taintEffects)];
  });
}

function toleratedValue(path: string, { operator = "", value = "" }: Toleration): FieldError[] {
  const at = `${path}.operator`;
  switch (operator) {
    case "":
    case "Equal": {
      const problems = labelValueProblems(value);
      return problems.length === 0 ? [] : [invalid(at, value, problems.join(";"))];
    }
    case "Exists":
      return value === "" ? [] : [invalid(at, value, "value must be empty when `operator` is 'Exists'")];
    case "Lt":
    case "Gt":
      return [notSupported(at, operator, ["Equal", "Exists", "Lt", "Gt"])];
    default:
      return [notSupported(at, operator, ["Equal", "Exists"])];
  }
}
