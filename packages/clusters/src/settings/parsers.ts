/** How lists and short times among the variables are read. */
import { quoted } from "@berg/apimachinery";
import { duration } from "@berg/kube/variables";

/** In milliseconds, up to an hour. `0s` is no time at all. */
export function shortTime(text: string): number {
  const ms = duration(text);
  if (ms > 3_600_000) throw new Error(`${quoted(text)} is not a time from 0s to 1h, such as 30s`);
  return ms;
}

/** Parts of a list, without empty ones: a comma at its end is no mistake. */
export function partsOf(text: string, separator: RegExp | string): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** `parse` of each, or all that they threw. */
export function each<T>(parts: readonly string[], parse: (part: string) => T): T[] {
  const mistakes: string[] = [];
  const values = parts.flatMap((part) => {
    try {
      return [parse(part)];
    } catch (error) {
      mistakes.push((error as Error).message);
      return [];
    }
  });
  if (mistakes.length > 0) throw new Error(mistakes.join("\n"));
  return values;
}
