/**
 * A reporter for Vitest: what the contract found on a real control plane beside what it found on the embedded one, by
 * theme, and each check on which the two differ.
 */
import type { Reporter, TestCase, TestModule } from "vitest/node";
import { differences } from "./differences.ts";

const columns = ["real", "embedded"] as const;
type Column = (typeof columns)[number];
type Row = Partial<Record<Column, string>>;

export default class ContractColumns implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const checks = new Map<string, Row>();
    for (const module of modules) {
      for (const test of module.children.allTests()) note(checks, test);
    }
    const wasCompared = columns.every((column) => [...checks.values()].some((row) => row[column]));
    if (wasCompared) console.log(table(checks));
  }
}

/** `the client on a real control plane > reading > gets an object` */
function note(checks: Map<string, Row>, test: TestCase): void {
  const [subject = "", ...check] = test.fullName.split(" > ");
  if (!subject.startsWith("the client on")) return;
  const column = subject.includes("embedded") ? "embedded" : "real";
  const name = check.join(" > ");
  // A check that is known to fail, and does, has passed as far as Vitest is concerned.
  const isKnown = column === "embedded" && Object.hasOwn(differences, check.at(-1) ?? "");
  checks.set(name, { ...checks.get(name), [column]: isKnown ? "differs" : test.result().state });
}

export function table(checks: ReadonlyMap<string, Row>): string {
  const themes = Map.groupBy(checks, ([name]) => name.split(" > ")[0] ?? "");
  const passed = (rows: readonly (readonly [string, Row])[], column: Column) =>
    rows.filter(([, row]) => row[column] === "passed").length;
  const line = (name: string, cells: readonly (string | number)[]) =>
    `${name.padEnd(32)}${cells.map((cell) => String(cell).padStart(10)).join("")}`;
  const counts = (name: string, rows: readonly (readonly [string, Row])[]) =>
    line(name, [rows.length, ...columns.map((column) => passed(rows, column))]);
  const differing = [...checks].filter(([, row]) => row.real !== row.embedded);
  return [
    line("contract", ["checks", ...columns]),
    ...[...themes].map(([theme, rows]) => counts(theme, rows)),
    counts("all", [...checks]),
    ...differing.map(([name, row]) => `  ${name}: ${columns.map((column) => `${column} ${row[column]}`).join(", ")}`),
  ].join("\n");
}
