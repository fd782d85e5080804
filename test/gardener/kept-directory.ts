/** A directory among the temporary files that goes when the test does, whatever ends it; with BERG_KEEP_CONTROL_PLANE it stays. */
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Keeper, startKeeper } from "../control-plane/keeper.ts";

export interface KeptDirectory {
  path: string;
  /** Ends what works in it, before it goes. */
  keeper: Keeper;
}

/** It is removed by `keeper.close()`. */
export async function makeKeptDirectory(prefix: string): Promise<KeptDirectory> {
  const path = await mkdtemp(join(tmpdir(), prefix));
  return { path, keeper: startKeeper(process.env.BERG_KEEP_CONTROL_PLANE ? undefined : path) };
}
