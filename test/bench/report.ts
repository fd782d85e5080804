import type { Figure } from "./figure.ts";

export function formatJson(figures: readonly Figure[]): string {
  return `${JSON.stringify({ figures }, null, 2)}\n`;
}

const headings = ["figure", "measured", "beside", "unit", "ratio", "goal", "met"];
const leftAligned = new Set(["figure", "unit", "goal", "met"]);

/** Names to the left, numbers to the right; only as wide as it needs to be. */
export function formatTable(figures: readonly Figure[]): string {
  const rows = [headings, ...figures.map(cellsOf)];
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => (row[column] as string).length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] as number;
        return leftAligned.has(headings[column] as string) ? cell.padEnd(width) : cell.padStart(width);
      })
      .join("  ")
      .trimEnd(),
  );
  return `${lines.join("\n")}\n`;
}

function cellsOf({ name, value, unit, beside, ratio, goal, met }: Figure): string[] {
  return [name, readable(value), readable(beside), unit, ratio.toFixed(2), goal, met ? "yes" : "NO"];
}

/** Three digits that count, or all before the point. */
function readable(value: number): string {
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString("en-US", { maximumFractionDigits: digits, minimumFractionDigits: digits });
}
