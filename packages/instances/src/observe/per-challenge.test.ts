import type { Stored } from "@berg/apimachinery";
import type { Challenge } from "@berg/resources";
import { expect, test } from "vitest";
import type { BuildSettings } from "../settings/settings.ts";
import { perChallenge } from "./per-challenge.ts";

const version = () => Object.freeze({ spec: { containers: [] } }) as unknown as Stored<Challenge>;
const build = (domain: string) => ({ domain }) as BuildSettings;

function counting() {
  let count = 0;
  return perChallenge((_, { domain }: BuildSettings) => `${domain} ${++count}`);
}

test("works out the same once for each version of a Challenge", () => {
  const ask = counting();
  const [one, other, settings] = [version(), version(), build("a")];
  expect([ask(one, settings), ask(one, settings), ask(other, settings)]).toEqual(["a 1", "a 1", "a 2"]);
});

test("other settings have an answer of their own", () => {
  const ask = counting();
  const one = version();
  expect([ask(one, build("a")), ask(one, build("b"))]).toEqual(["a 1", "b 2"]);
});

test("what may still change is worked out each time", () => {
  const ask = counting();
  const [open, settings] = [{ ...version() }, build("a")];
  expect([ask(open, settings), ask(open, settings)]).toEqual(["a 1", "a 2"]);
});
