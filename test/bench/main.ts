/**
 * `npm run bench -- [name…] [--quick] [--json]`: measures, and prints one table. Whether a goal is met stands
 * in it; the run itself ends with 1 only where it could not measure, and with 2 where it was asked for something that is
 * not there.
 *
 * To add a bench, write a folder with a `bench.ts`, and name it below.
 */
import type { Bench } from "./bench.ts";
import { parseCommandLine, UsageError } from "./command-line.ts";
import type { Figure } from "./figure.ts";
import { inOwnNetwork, needsOwnNetwork } from "./own-network.ts";
import { formatJson, formatTable } from "./report.ts";

const benches: Record<string, () => Promise<{ bench: Bench }>> = {
  runtime: () => import("./runtime/bench.ts"),
  instances: () => import("./instances/bench.ts"),
  load: () => import("./load/bench.ts"),
  deletion: () => import("./deletion/bench.ts"),
  crowd: () => import("./crowd/bench.ts"),
  apiserver: () => import("./apiserver/bench.ts"),
  listener: () => import("./listener/bench.ts"),
  local: () => import("./local/bench.ts"),
  tunnel: () => import("./tunnel/bench.ts"),
  clusters: () => import("./clusters/bench.ts"),
  board: () => import("./board/bench.ts"),
  api: () => import("./api/bench.ts"),
};

async function main(args: string[]): Promise<void> {
  const { names, json, quick } = parseCommandLine(args, Object.keys(benches));
  const say = (text: string) => process.stderr.write(`${text}\n`);
  const figures: Figure[] = [];
  for (const [name, load] of Object.entries(benches)) {
    if (!names.includes(name)) continue;
    const { bench } = await load();
    if (bench.ownNetwork && needsOwnNetwork()) {
      figures.push(...(await inOwnNetwork(name, quick)));
      continue;
    }
    say(`${name}: ${bench.about}`);
    figures.push(...(await bench.run({ quick, say: (text) => say(`${name}: ${text}`) })));
  }
  process.stdout.write(json ? formatJson(figures) : `\n${formatTable(figures)}`);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
