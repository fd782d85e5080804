/** Environment variables with their defaults and meanings, and how a set of them is read: all mistakes at once, by name. */
import { durationToMs, parseDuration, quoted } from "@berg/apimachinery";
import { ConfigurationError } from "./configuration-error.ts";

export interface Variable<T> {
  readonly name: string;
  /** As it would be written; what an empty or missing variable means. */
  readonly default: string;
  readonly description: string;
  /** Throws what is wrong with the text, and the fix; of several mistakes, a line each. */
  readonly parse: (text: string) => T;
}

export type Variables = Readonly<Record<string, Variable<unknown>>>;

export type Values<V extends Variables> = { readonly [Key in keyof V]: ReturnType<V[Key]["parse"]> };

export function variable<T>(
  name: string,
  byDefault: string,
  description: string,
  parse: (text: string) => T,
): Variable<T> {
  return { name, default: byDefault, description, parse };
}

/** What the environment says, or a ConfigurationError with a line for each mistake. */
export function readVariables<V extends Variables>(variables: V, env: Record<string, string | undefined>): Values<V> {
  const values: Record<string, unknown> = {};
  const mistakes: string[] = [];
  for (const [key, { name, default: byDefault, parse }] of Object.entries(variables)) {
    try {
      values[key] = parse(env[name]?.trim() || byDefault);
    } catch (error) {
      for (const line of (error as Error).message.split("\n")) mistakes.push(`cannot read ${name}: ${line}`);
    }
  }
  if (mistakes.length > 0) throw new ConfigurationError(mistakes.join("\n"));
  return values as Values<V>;
}

/** For documentation and manifests, in the order in which they are best read. */
export function referenceOf(variables: Variables): { name: string; default: string; description: string }[] {
  return Object.values(variables).map(({ name, default: byDefault, description }) => ({
    name,
    default: byDefault,
    description,
  }));
}

export function choice<T extends string>(...values: T[]) {
  return (text: string): T => {
    const value = values.find((value) => value === text);
    if (value === undefined) throw new Error(`${quoted(text)} is none of ${values.join(", ")}`);
    return value;
  };
}

export function flag(text: string): boolean {
  return choice("true", "false")(text) === "true";
}

export function count(least: number, most: number) {
  return (text: string): number => {
    if (!/^\d{1,7}$/.test(text) || Number(text) < least || Number(text) > most)
      throw new Error(`${quoted(text)} is not a whole number from ${least} to ${most}`);
    return Number(text);
  };
}

const longestMs = 10 * 366 * 24 * 60 * 60 * 1000;

/** In milliseconds. `0` is no time at all. */
export function duration(text: string): number {
  const ms = lengthOf(text);
  if (ms === undefined || ms < 0) throw new Error(`${quoted(text)} is not a time such as 90s, 30m or 1h30m`);
  if (ms > longestMs) throw new Error(`${quoted(text)} is longer than ten years`);
  return ms;
}

function lengthOf(text: string): number | undefined {
  try {
    return durationToMs(parseDuration(text));
  } catch {
    return undefined;
  }
}
