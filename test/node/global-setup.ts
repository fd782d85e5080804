import { provideBinaries } from "../control-plane/binaries.ts";
import { allBinaries, missingNode } from "./missing.ts";

/** Runs once before the `node` tests: builds what lacks, or says why they are skipped. */
export default async function setup(): Promise<void> {
  const missing = await missingNode();
  if (missing) process.stderr.write(`skipping what needs a real node: ${missing}\n`);
  else await provideBinaries(undefined, allBinaries);
}
