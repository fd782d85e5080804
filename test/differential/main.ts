/**
 * `npm run test:differential [-- --minutes 5 --seed 7]`: random requests to the embedded API server and to a real one.
 * Ends with 1 when they answered differently in a way that is not in `differences.ts`. `--real` plays both parts with a
 * real one, which shows whether the differences are ours.
 */
import { parseArgs } from "node:util";
import { told } from "./report.ts";
import { prepare, run } from "./run.ts";
import { startEmbedded, startReal } from "./servers.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "5" },
    seed: { type: "string" },
    real: { type: "boolean", default: false },
  },
});
const enough = 20;
const minutes = Number(values.minutes);
const seed = Number(values.seed ?? Date.now() % 1_000_000);
if (!(minutes > 0)) throw new Error(`want a number of minutes, not ${values.minutes}`);
if (!Number.isInteger(seed)) throw new Error(`want a whole number as seed, not ${values.seed}`);

await using stack = new AsyncDisposableStack();
const real = stack.use(await startReal());
const ours = stack.use(await (values.real ? startReal() : startEmbedded()));
await prepare([real, ours]);
const until = performance.now() + minutes * 60_000;
process.stdout.write(`seed ${seed}\n`);
let differences = 0;
const { played, steps, found, known } = await run([real, ours], {
  seed,
  goesOn: () => performance.now() < until && differences < enough,
  found(difference) {
    differences++;
    process.stdout.write(`\n${told(difference)}`);
  },
});
for (const [why, times] of known) process.stdout.write(`known, ${times} times: ${why}\n`);
process.stdout.write(`${played} scripts, ${steps} steps, ${found.length} new differences\n`);
process.exitCode = found.length > 0 ? 1 : 0;
