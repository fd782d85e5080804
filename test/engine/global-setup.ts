import { missingDocker } from "./docker.ts";
import { missingPodman } from "./podman.ts";

/** Runs once before the `containers` tests: says which of them are skipped, and why. */
export default function setup(): void {
  for (const missing of [missingPodman(), missingDocker()]) {
    if (missing) process.stderr.write(`skipping what needs it: ${missing}\n`);
  }
}
