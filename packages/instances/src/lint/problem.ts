/** What is wrong with a Challenge, where, and how to put it right. */
import { type FieldPath, fieldName } from "@berg/resources";

export interface Problem {
  /** An error: no instance can work. A warning: it can, but probably not as the author means it. */
  severity: "error" | "warning";
  /** Such as `["spec", "containers", 0, "ports", 1, "name"]`. */
  path: FieldPath;
  message: string;
  /** Left out where the message says it. */
  fix?: string;
}

export function error(path: FieldPath, message: string, fix?: string): Problem {
  return { severity: "error", path, message, ...(fix !== undefined && { fix }) };
}

export function warning(path: FieldPath, message: string, fix?: string): Problem {
  return { severity: "warning", path, message, ...(fix !== undefined && { fix }) };
}

/** `spec.containers[0].image: "We b" is not the name of an image; write one such as registry.example.com/web:1.2` */
export function formatProblem({ path, message, fix }: Omit<Problem, "severity">): string {
  const where = path.length > 0 ? `${fieldName(path)}: ` : "";
  return `${where}${message}${fix === undefined ? "" : `; ${fix}`}`;
}
