import { missingForeignCrds } from "../foreign-crds/crd-files.ts";
import { missingGardener, provideGardener } from "../gardener/server/binary.ts";
import { findBinaries, provideBinaries } from "./binaries.ts";

/**
 * Runs once before the `real` tests. A machine with neither binaries nor Go skips them, and is told so; anywhere else
 * a failed build throws here, so that a skip never passes for a success.
 */
export default async function setup(): Promise<void> {
  const binaries = await findBinaries();
  if (binaries.kind === "missing")
    process.stderr.write(`skipping what needs a real control plane: ${binaries.reason}\n`);
  else {
    await provideBinaries();
    // A skip in CI counts as a failure; a person is told how to build it instead.
    if (process.env.CI) provideGardener();
  }
  const noGardener = missingGardener();
  if (noGardener) process.stderr.write(`skipping what needs Gardener's own API server: ${noGardener}\n`);
  const missing = await missingForeignCrds();
  if (missing) process.stderr.write(`skipping what needs the kinds of others: ${missing}\n`);
}
