/**
 * `npm run test:bad-days [-- --quick] [name…]`: two replicas on PostgreSQL under 50 requests a second, while the database,
 * Kubernetes, a replica or the identity provider fails. Prints what players were answered and how long it took to recover,
 * and ends with 1 where something was lost or answered wrongly. A name is any part of the name of a day.
 */
import { parseArgs } from "node:util";
import { missingPostgres } from "../postgres/missing.ts";
import { days } from "./days.ts";
import { type DayResult, runDays } from "./run.ts";

const { values, positionals } = parseArgs({ options: { quick: { type: "boolean" } }, allowPositionals: true });
const missing = missingPostgres();
if (missing) throw new Error(missing);
const names = Object.keys(days).filter(
  (name) => positionals.length === 0 || positionals.some((part) => name.includes(part)),
);
if (names.length === 0) throw new Error(`no day has such a name; there are: ${Object.keys(days).join("; ")}`);
const say = (text: string) => process.stderr.write(`${text}\n`);
const results = await runDays({ names, isQuick: values.quick ?? false, say });
process.stdout.write(tableOf(results));
process.exitCode = results.some(({ broken }) => broken.length > 0) ? 1 : 0;

function tableOf(all: readonly DayResult[]): string {
  const lines = all.map(({ name, skipped, outcomes, broken, ...seconds }) => {
    if (skipped !== undefined) return `| ${name} | skipped: ${skipped} | | | | |`;
    const counts = Object.entries(outcomes).map(([outcome, count]) => `${outcome}: ${count}`);
    const { recoverySeconds, failingSeconds, settledSeconds } = seconds;
    const times = [recoverySeconds, failingSeconds, settledSeconds].map((time) => `${time.toFixed(1)} s`).join(" | ");
    return `| ${name} | ${counts.join(", ")} | ${times} | ${broken.length === 0 ? "hold" : `${broken.length} BROKEN`} |`;
  });
  const head = ["| day | answers | all kinds worked | last failure | settled | laws |", "|---|---|---|---|---|---|"];
  return `\n${[...head, ...lines].join("\n")}\n`;
}
