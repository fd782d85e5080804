/** The Pod Security policy of a namespace, as its labels say it. */
import { type FieldError, invalid } from "../../errors/field-error.ts";

export type Level = "privileged" | "baseline" | "restricted";

export interface LevelVersion {
  readonly level: Level;
  /** Of Kubernetes 1.x; `latest` without end. */
  readonly minor: number;
}

export interface Policy {
  readonly enforce: LevelVersion;
  /** Violations of this level are warnings. */
  readonly warn: LevelVersion;
}

/** From the loosest to the strictest. */
const levels: readonly Level[] = ["privileged", "baseline", "restricted"];
const latest = Number.POSITIVE_INFINITY;
const prefix = "pod-security.kubernetes.io/";

/** There is always a policy: where the labels of `enforce` make no sense, the strictest one. */
export function policyOf(labels: Readonly<Record<string, string>> = {}): { policy: Policy; errors: FieldError[] } {
  const errors: FieldError[] = [];
  const read = <T>(label: string, parse: (value: string) => T | undefined, problem: string, fallback: T) => {
    const value = labels[prefix + label];
    if (value === undefined) return { isValid: false, isSet: false, value: undefined };
    const parsed = parse(value);
    if (parsed === undefined) errors.push(invalid(`metadata.labels[${prefix}${label}]`, value, problem));
    return { isValid: parsed !== undefined, isSet: true, value: parsed ?? fallback };
  };
  const levelOf = (mode: string, fallback: Level) =>
    read(mode, parseLevel, `must be one of ${levels.join(", ")}`, fallback);
  const versionOf = (mode: string) => read(`${mode}-version`, parseVersion, 'must be "latest" or "v1.x"', latest);

  const [enforceLevel, enforceVersion] = [levelOf("enforce", "restricted"), versionOf("enforce")];
  const enforce = { level: enforceLevel.value ?? "privileged", minor: enforceVersion.value ?? latest };
  // Audit has no effect here, but its labels are checked as well.
  levelOf("audit", "privileged");
  versionOf("audit");
  const [warnLevel, warnVersion] = [levelOf("warn", "privileged"), versionOf("warn")];
  let warn = { level: warnLevel.value ?? "privileged", minor: warnVersion.value ?? latest };
  // Users are warned of what will be enforced, unless the labels say otherwise.
  if (!warnLevel.isSet && enforceLevel.isValid && isStricter(enforce.level, warn.level))
    warn = { level: enforce.level, minor: warnVersion.value ?? enforce.minor };
  return { policy: { enforce, warn }, errors };
}

export function isStricter(one: Level, other: Level): boolean {
  return levels.indexOf(one) > levels.indexOf(other);
}

/** `baseline:latest` */
export function describePolicy({ level, minor }: LevelVersion): string {
  return `${level}:${minor === latest ? "latest" : `v1.${minor}`}`;
}

function parseLevel(text: string): Level | undefined {
  return levels.find((level) => level === text);
}

function parseVersion(text: string): number | undefined {
  if (text === "latest") return latest;
  const [, minor] = /^v1\.(\d|[1-9]\d*)$/.exec(text) ?? [];
  return minor === undefined ? undefined : Number(minor);
}
