/**
 * What a real API server answered to the scenarios, so that they can be played without one. After a change of the
 * scenarios, or of the version of Kubernetes: `APPLY_RECORD=1 npx vitest run --project real packages/local/apiserver/src/apply`.
 */
import { readFileSync, writeFileSync } from "node:fs";
import type { JsonObject } from "../values.ts";

const file = new URL("./recorded-answers.jsonl", import.meta.url);

/** One line a scenario. */
export interface Recording {
  scenario: string;
  answers: JsonObject[];
}

export function readRecordings(): Map<string, JsonObject[]> {
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return new Map(
    lines.map((line) => JSON.parse(line) as Recording).map(({ scenario, answers }) => [scenario, answers]),
  );
}

export function writeRecordings(recordings: readonly Recording[]): void {
  writeFileSync(file, recordings.map((recording) => `${JSON.stringify(recording)}\n`).join(""));
}
