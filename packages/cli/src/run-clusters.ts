/** `berg clusters`, as it runs on a cluster: one of several, of which one leads. */
import { addClusterOperators, readClusterSettings } from "@berg/clusters";
import { ConfigurationError, loadConnection, systemClock, systemRandom } from "@berg/kube";
import type { ClustersCommandOptions } from "./clusters.ts";
import { readInto, readProcessSettings, refuse } from "./process-settings.ts";
import { runComponent } from "./run-component.ts";

/** Runs until it is told to stop. What is wrong in the environment ends it at once, with code 2 and a line for each. */
export async function runClusters({ kubeconfig, gardenKubeconfig }: ClustersCommandOptions): Promise<void> {
  const mistakes: string[] = [];
  const gardenFile = readInto(mistakes, () => readGardenKubeconfig(gardenKubeconfig, process.env));
  const settings = readInto(mistakes, () => readClusterSettings(process.env));
  const own = readInto(mistakes, () => readProcessSettings(process.env));
  readInto(mistakes, () => refuseCopiesOfMemory([...process.execArgv, process.env.NODE_OPTIONS ?? ""]));
  if (!gardenFile || !settings || !own || mistakes.length > 0) return refuse(mistakes);
  const component = { name: "clusters", kubeconfig, isElected: true, ...own } as const;
  await runComponent(component, async ({ manager, metrics, clock, log, stop, held }) => {
    const garden = await loadConnection({ kubeconfig: gardenFile, clock: systemClock, signal: stop });
    held.use(addClusterOperators(manager, { garden, settings, metrics, clock, random: systemRandom, log }));
  });
}

/** Never the one of the Clusters: Shoots would be looked for there. */
function readGardenKubeconfig(option: string | undefined, env: Record<string, string | undefined>): string {
  const file = option?.trim() || env.GARDEN_KUBECONFIG?.trim();
  if (file) return file;
  throw new ConfigurationError(
    "cannot read GARDEN_KUBECONFIG: it is not set: name the file with Gardener's kubeconfig",
  );
}

/** This process holds administrators' credentials, and only in its memory: nothing may write that to a disk or show it. */
function refuseCopiesOfMemory(options: string[]): void {
  const found = options.join(" ").match(/--(heapsnapshot[-\w]*|heap-prof|inspect(-brk|-wait)?)\b/);
  if (!found) return;
  throw new ConfigurationError(`cannot run with ${found[0]}: memory holds credentials of administrators. Leave it out`);
}
