import { missingKubectl } from "../one-machine/kubectl.ts";
import { missingDocker } from "./docker.ts";
import { missingPodman } from "./podman.ts";

/** Runs once before the `containers` tests: says which of them are skipped, and why. */
export default async function setup(): Promise<void> {
  for (const missing of [missingPodman(), missingDocker(), await missingKubectl()]) {
    if (missing) process.stderr.write(`skipping what needs it: ${missing}\n`);
  }
}
