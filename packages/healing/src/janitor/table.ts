/** What a sweep did, for a terminal: aligned, and plain enough for a log. */
import type { Action } from "../removing/remove.ts";

const heading = ["KIND", "NAME", "DID", "WHY"];

export function renderTable(actions: readonly Action[]): string {
  const rows = [heading, ...actions.map(({ kind, name, did, why }) => [kind, name, did, printable(why)])];
  const widths = heading.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ");
  return rows.map((row) => `${line(row).trimEnd()}\n`).join("");
}

/** A server's words may hold anything, and one action is one line. */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ");
}
