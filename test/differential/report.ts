/** A difference in words: what was asked, and what both said. The script can be put into `kept.ts` as it is. */
import type { Found } from "./play.ts";

export function told({ steps, at, real, ours, differences }: Found): string {
  const lines = differences
    .slice(0, 6)
    .flatMap(({ path, real: theirs, ours: mine }) => [
      `  ${path}`,
      `    real ${short(theirs)}`,
      `    ours ${short(mine)}`,
    ]);
  return [
    `Step ${at} is answered differently, ${real.code} and ${ours.code}:`,
    ...lines,
    ...(differences.length > 6 ? [`  … and ${differences.length - 6} more`] : []),
    "The script:",
    `  ${JSON.stringify(steps.slice(0, at + 1))}`,
    "",
  ].join("\n");
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}
