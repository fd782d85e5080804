/** What is wrong with the status of a policy: what was found in its expressions, and its conditions. */
import { duplicate, type FieldError, invalid, required, tooLong } from "../../errors/field-error.ts";
import { qualifiedNameProblems } from "../../schema/metadata/names.ts";
import { each, oneOf } from "../checks/field-rules.ts";

interface Condition {
  type: string;
  status: string;
  observedGeneration?: number;
  lastTransitionTime: string | null;
  reason: string;
  message: string;
}

interface Status {
  typeChecking?: { expressionWarnings?: { fieldRef: string; warning: string }[] };
  conditions?: Condition[];
}

const longestReason = 1024;
const longestMessage = 32 * 1024;
const reasonPattern = "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?";
const reasonRule = `a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '${reasonPattern}')`;

export function policyStatusErrors(policy: unknown): FieldError[] {
  const { typeChecking, conditions = [] } = (policy as { status: Status }).status;
  const warnings = (typeChecking?.expressionWarnings ?? []).flatMap(({ fieldRef, warning }, i) => {
    const at = `status.typeChecking.expressionWarnings[${i}]`;
    return [
      ...(warning === "" ? [required(`${at}.warning`)] : []),
      ...(fieldRef.trim() === "" ? [required(`${at}.fieldRef`)] : []),
    ];
  });
  return [
    ...warnings,
    ...conditions.flatMap((condition, i) => [
      ...(conditions.findIndex(({ type }) => type === condition.type) < i
        ? [duplicate(`status.conditions[${i}].type`, condition.type)]
        : []),
      ...conditionErrors(condition, `status.conditions[${i}]`),
    ]),
  ];
}

function conditionErrors(condition: Condition, at: string): FieldError[] {
  const { type, status, observedGeneration = 0, lastTransitionTime, reason, message } = condition;
  const errors = [
    ...each(`${at}.type`, type, qualifiedNameProblems(type)),
    ...oneOf(`${at}.status`, status, ["False", "True", "Unknown"]),
  ];
  if (observedGeneration < 0)
    errors.push(invalid(`${at}.observedGeneration`, observedGeneration, "must be greater than or equal to zero"));
  if (!lastTransitionTime) errors.push(required(`${at}.lastTransitionTime`));
  if (reason === "") errors.push(required(`${at}.reason`));
  else if (!new RegExp(`^${reasonPattern}$`).test(reason)) errors.push(invalid(`${at}.reason`, reason, reasonRule));
  if (Buffer.byteLength(reason) > longestReason) errors.push(tooLong(`${at}.reason`, longestReason));
  if (Buffer.byteLength(message) > longestMessage) errors.push(tooLong(`${at}.message`, longestMessage));
  return errors;
}
