import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { canary, kubeconfigObject, pairData } from "../testing/kubeconfigs.ts";
import { readKubeconfig } from "./kubeconfig.ts";
import { KubeconfigProblem } from "./problem.ts";

/** Read or refused, and nothing in between; a refusal quotes nothing. */
function expectCalm(text: string): void {
  try {
    expect(readKubeconfig(text).server).toMatch(/^https:\/\//);
  } catch (error) {
    if (!(error instanceof KubeconfigProblem)) throw error;
    expect(error.message).not.toContain(canary);
    expect(error.message.length).toBeLessThan(400);
  }
}

/** Every place in a value, as the keys that lead there. */
function placesIn(value: unknown): string[][] {
  if (typeof value !== "object" || value === null) return [[]];
  return [[], ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner).map((rest) => [key, ...rest]))];
}

function replaced(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by;
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) };
  Object.assign(copy, { [key]: replaced((copy as Record<string, unknown>)[key], rest, by) });
  return copy;
}

const odd = fc.oneof(
  fc.constantFrom(canary, `https://${canary}`, "https://[::1]", "https://", "", null, true, [], {}, [canary], {
    exec: canary,
  }),
  fc.json().map((text) => JSON.parse(text) as unknown),
  fc.string({ unit: "binary" }).map((text) => canary + text),
);

describe("rubbish instead of a kubeconfig", () => {
  test("in any place of a good one is refused in order, or does no harm", () => {
    for (const good of [kubeconfigObject(), kubeconfigObject({ user: pairData })]) {
      const place = fc.constantFrom(...placesIn(good));
      fc.assert(
        fc.property(place, odd, (where, by) => expectCalm(stringify(replaced(good, where, by)))),
        { numRuns: 100 },
      );
    }
  });

  test("of any characters is refused in order", () => {
    const pieces = fc.constantFrom(
      "users",
      ":",
      "- ",
      "[",
      "]",
      "{",
      "}",
      "\n",
      "  ",
      "&a ",
      "*a",
      "!!x ",
      "|",
      ">",
      '"',
      canary,
    );
    const texts = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(pieces, { maxLength: 200 }).map((all) => all.join("")),
    );
    fc.assert(
      fc.property(texts, (text) => expectCalm(text)),
      { numRuns: 300 },
    );
  });
});
