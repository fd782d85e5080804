/**
 * `npm run test:breakages [-- words of a name]`: makes each mistake in a copy of the tree, and fails where its test does
 * not: where it survives, where the test fails without it too, and where the code to break is no longer there.
 */
import { type Breakage, breakages } from "./breakages.ts";
import { TreeCopy } from "./copy.ts";
import { runTest } from "./run-test.ts";

const wanted = process.argv.slice(2).join(" ");
const chosen = breakages.filter(({ name }) => name.includes(wanted));
await using copy = await TreeCopy.make();
let survivors = 0;
for (const breakage of chosen) {
  const verdict = await judge(breakage).catch((error: Error) => error.message);
  if (verdict !== undefined) survivors++;
  process.stdout.write(`${verdict === undefined ? "caught  " : "SURVIVED"}  ${breakage.name}\n`);
  if (verdict !== undefined) process.stdout.write(`          ${verdict}\n`);
}
process.stdout.write(`${chosen.length - survivors} of ${chosen.length} mistakes are caught\n`);
process.exitCode = survivors === 0 && chosen.length > 0 ? 0 : 1;

/** What is wrong with the test; undefined where it catches the mistake. */
async function judge(breakage: Breakage): Promise<string | undefined> {
  const { caughtBy } = breakage;
  const mend = await copy.break(breakage);
  const withIt = await runTest(copy, caughtBy).finally(mend);
  if (withIt.failed.length === 0) return `"${caughtBy.test}" of ${caughtBy.file} did not fail`;
  const without = await runTest(copy, caughtBy);
  if (without.failed.length > 0) return `"${without.failed[0]}" fails without the mistake, too`;
  if (without.passed.length === 0) return `${caughtBy.file} has no test "${caughtBy.test}"`;
  return undefined;
}
